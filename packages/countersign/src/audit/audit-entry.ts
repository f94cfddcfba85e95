import { hashCanonical } from "../approval/digest.js";
import { storableText } from "../approval/storable-text.js";

/** One thing that happened. Entries of a tenant form a chain: each names the hash of the one before. */
export interface AuditEntry {
  tenantId: string;
  /** Place in the tenant's log: 1, 2, 3 … without gaps. */
  position: number;
  /** `null` for what is about no approval, such as a call that was refused at once. */
  approvalId: string | null;
  type: string;
  /** Who did it; `null` for the system itself. */
  actorId: string | null;
  /** The database's time, to the millisecond. */
  at: Date;
  /** Details; never arguments of a call. */
  data: Record<string, unknown>;
  prevHash: string;
  hash: string;
}

/** How far a tenant's log goes: the place and hash of its last entry. */
export interface AuditHead {
  position: number;
  hash: string;
}

/** Whether a tenant's log is what was written; if not, the first entry that is not, and what is wrong with it. */
export type AuditVerification =
  | { ok: true; entries: number; head: AuditHead }
  | {
      ok: false;
      position: number;
      /** `head`: the log and its head, or a head that was noted, end at different entries. */
      problem: "changed" | "missing" | "reordered" | "head";
      approvalId?: string;
      message: string;
    };

/** The head of a log without entries, and what its first entry names as the hash before. */
export const emptyAuditHead: AuditHead = { position: 0, hash: "0".repeat(64) };

/** SHA-256 (hex) of an entry's canonical JSON (RFC 8785), of every field but the hash itself. */
export function auditHash(entry: Omit<AuditEntry, "hash">): string {
  const { tenantId, position, approvalId, type, actorId, at, data, prevHash } = entry;
  return hashCanonical({
    tenantId,
    position,
    approvalId,
    type,
    actorId,
    at: at.toISOString(),
    data,
    prevHash,
  });
}

/** Details as the database gives them back to the letter: plain JSON, in text that it can keep. */
export function storableData(data: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(data, (_key, value: unknown) => {
      if (typeof value === "string") return storableText(value);
      if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, field]) => [storableText(key), field]));
    }),
  );
}
