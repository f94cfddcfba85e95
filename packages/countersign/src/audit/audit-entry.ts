import { createHash } from "node:crypto";
import { canonicalJson } from "@countersign/policy/internal/shared/canonical-json";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { AuditHead } from "./audit-head.js";
import type { AuditSegment } from "./audit-segment.js";

/** One audited event. A tenant's entries form a chain: each names the hash of the previous one. */
export interface AuditEntry {
  tenantId: string;
  /** Position in the tenant's log: 1, 2, 3 … without gaps. */
  position: number;
  /** `null` if the entry concerns no approval, such as a call that was refused at once. */
  approvalId: string | null;
  type: string;
  /** The actor; `null` for the system itself. */
  actorId: string | null;
  /** The database's time, to the millisecond. */
  at: Date;
  /** Details; never arguments of a call. */
  data: Record<string, unknown>;
  prevHash: string;
  hash: string;
}

/** Whether a tenant's log is unchanged and its rows match it; if not, the first fault. */
export type AuditVerification =
  | {
      ok: true;
      /** Number of existing entries; those of sealed segments are deleted. */
      entries: number;
      head: AuditHead;
      /** Parts of the log that were deleted because of their age, oldest first. */
      sealed: AuditSegment[];
      /** Calls in the log whose rows have been deleted. */
      deleted: number;
    }
  | {
      ok: false;
      position: number;
      /**
       * `head`: the log and its head, or a saved head, end at different entries. `row`: the log is in order, but a row
       * does not match it; `position` is the entry that disagrees, or the last one if there is none. `segment`: a
       * sealed segment is missing, changed or not correctly signed. `unknown_key`: everything else is in order, but the
       * given keys do not include the one that a sealed segment names; `position` is the segment's first entry.
       */
      problem: "changed" | "missing" | "reordered" | "head" | "row" | "segment" | "unknown_key";
      approvalId?: string;
      message: string;
    };

/** What is known of an entry before it is appended. */
export type AuditContent = Pick<AuditEntry, "tenantId" | "approvalId" | "type" | "actorId" | "data">;

/**
 * The canonical JSON (RFC 8785) of an entry without its hash, in three parts: what comes before its time, before its
 * position, and after the hash before it. The database adds these three when it appends the entry.
 */
export function canonicalParts({ tenantId, approvalId, type, actorId, data }: AuditContent) {
  const { stringify } = JSON;
  return {
    toTime: `{"actorId":${stringify(actorId)},"approvalId":${stringify(approvalId)},"at":"`,
    toPosition: `","data":${canonicalJson(data)},"position":`,
    toEnd: `","tenantId":${stringify(tenantId)},"type":${stringify(type)}}`,
  };
}

/** SHA-256 (hex) of an entry's canonical JSON, as the database calculates it. */
export function auditHash(entry: Omit<AuditEntry, "hash">): string {
  const { toTime, toPosition, toEnd } = canonicalParts(entry);
  const { at, position, prevHash } = entry;
  const canonical = `${toTime}${at.toISOString()}${toPosition}${position},"prevHash":"${prevHash}${toEnd}`;
  return createHash("sha256").update(canonical).digest("hex");
}

/** Details that the database returns unchanged: plain JSON, in text that it can store. */
export function storableData(data: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(data, (_key, value: unknown) => {
      if (typeof value === "string") return storableText(value);
      if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, field]) => [storableText(key), field]));
    }),
  );
}
