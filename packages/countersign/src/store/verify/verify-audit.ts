import { canonicalJson } from "@countersign/policy/internal/shared/canonical-json";
import { eq, gt, or, sql } from "drizzle-orm";
import { type AuditVerification, auditHash } from "../../audit/audit-entry.js";
import { type AuditHead, emptyAuditHead } from "../../audit/audit-head.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { readStored, type StoredAuditEntry } from "../audit/audit.js";
import type { Session } from "../database.js";
import { auditEntries, auditHeads, requests, stops } from "../schema.js";
import type { Transact } from "../transact.js";
import { verifyRows } from "./verify-rows.js";
import { checkSegments, readSegments, type SegmentRow } from "./verify-segments.js";
import { isOfLog, stopTypes, verifyStops } from "./verify-stops.js";

type Fault = Extract<AuditVerification, { ok: false }>;

/** What a log is compared with, beside itself. */
export interface VerifyOptions {
  /**
   * A head that was saved earlier, outside of this database. Full write access is enough to compute a new chain; only
   * something out of its reach can reveal that.
   */
  anchor?: AuditHead | undefined;
  /** Reads signatures of sealed segments. With it, each segment must have a valid one. */
  reader?: EvidenceReader | undefined;
}

/**
 * Recomputes a tenant's chain in batches, compares its end with the head, and then the tenant's rows with it. Takes no
 * lock: entries appended meanwhile are verified too, and sealing meanwhile makes it start over.
 *
 * @param inTenant Runs one batch's reading, so that nothing stays open while the chain is computed.
 */
export async function verifyAudit(
  inTenant: Transact,
  tenantId: string,
  options: VerifyOptions = {},
): Promise<AuditVerification> {
  for (;;) {
    const segments = await inTenant((tx) => readSegments(tx, tenantId));
    const result = await verifyFrom(inTenant, tenantId, segments, options);
    if (result.ok) return result;
    // Entries that were deleted since the segments were read are not missing.
    const now = await inTenant((tx) => readSegments(tx, tenantId));
    if (now.length <= segments.length) return result;
  }
}

async function verifyFrom(
  inTenant: Transact,
  tenantId: string,
  segments: readonly SegmentRow[],
  { anchor, reader }: VerifyOptions,
): Promise<AuditVerification> {
  const sealed = await checkSegments(tenantId, segments, { anchor, reader });
  if (!sealed.ok) return sealed;
  const sealings: StoredAuditEntry[] = [];
  const aboutStops: StoredAuditEntry[] = [];
  let last: AuditHead = sealed.head;
  let previous: StoredAuditEntry | undefined;
  for (;;) {
    const after = previous ? gt(auditEntries.position, previous.position) : undefined;
    const batch = await inTenant((tx) => readStored(tx, tenantId, after));
    for (const entry of batch) {
      // A segment's entries are deleted in order, so those that remain are its last ones.
      const isLeft = entry.position >= 1 && entry.position <= sealed.head.position;
      const before = previous ?? (isLeft ? headBefore(entry) : sealed.head);
      const fault =
        (await faultOf(inTenant, entry, { before, previous })) ?? sealed.faultAt(entry.position, entry.hash);
      if (fault) return fault;
      if (anchor?.position === entry.position && anchor.hash !== entry.hash) {
        return broken("changed", entry, "its hash differs from the anchor: the log was rewritten");
      }
      if (entry.type === "audit.sealed") sealings.push(entry);
      if (stopTypes.includes(entry.type)) aboutStops.push(entry);
      last = previous = entry;
    }
    if (batch.length > 0) continue;
    const end = await inTenant((tx) => readEnd(tx, tenantId));
    if (end.position > last.position) continue;
    const fault = endFault(end, last, previous, anchor) ?? sealed.faultOfLog(sealings);
    if (fault) return fault;
    const rows = await verifyRows(inTenant, tenantId, { from: sealed.head.position + 1, end: last.position });
    if ("ok" in rows) return rows;
    const { position } = last;
    const stopFault = await inTenant((tx) => verifyStops(tx, tenantId, aboutStops, position));
    if (stopFault) return stopFault;
    if (sealed.unknownKey) return sealed.unknownKey;
    const entries = last.position - sealed.head.position;
    return { ok: true, entries, head: headOf(last), deleted: rows.deleted, sealed: sealed.segments };
  }
}

/** The head that the first remaining entry of a segment continues. */
function headBefore({ position, prevHash }: StoredAuditEntry): AuditHead {
  return { position: position - 1, hash: prevHash };
}

async function faultOf(
  inTenant: Transact,
  entry: StoredAuditEntry,
  { before, previous }: { before: AuditHead; previous: StoredAuditEntry | undefined },
): Promise<Fault | undefined> {
  const place = before.position + 1;
  if (entry.position > place) {
    const message = `Entry ${place} is missing: the next entry is ${entry.position}`;
    return { ok: false, position: place, problem: "missing", message };
  }
  if (entry.position < place) return broken("changed", entry, "its position is not valid");
  if (hashAt(entry, entry.position) !== entry.hash) {
    const origin = await inTenant((tx) => originOf(tx, entry));
    if (origin === undefined) return broken("changed", entry, "its content does not match its hash");
    return broken("reordered", entry, `the entry at this position was written as entry ${origin}`);
  }
  if (entry.prevHash === before.hash) return undefined;
  if (!previous) return broken("changed", entry, "the first entry refers to a previous one");
  return broken(
    "changed",
    previous,
    `it was rewritten: the previous hash in entry ${entry.position} differs`,
  );
}

/** The hash of the stored content at a position; `undefined` for content that we never write. */
function hashAt(entry: StoredAuditEntry, position: number): string | undefined {
  try {
    // Other text with the same meaning, or a number with too many digits to read, is a change as well.
    return canonicalJson(entry.data) === entry.dataText ? auditHash({ ...entry, position }) : undefined;
  } catch {
    return undefined;
  }
}

/** The original position of a misplaced entry, from its neighbours in the chain. */
async function originOf(session: Session, entry: StoredAuditEntry): Promise<number | undefined> {
  const linked = or(eq(auditEntries.prevHash, entry.hash), eq(auditEntries.hash, entry.prevHash));
  const neighbours = await readStored(session, entry.tenantId, linked);
  const head = await readEnd(session, entry.tenantId);
  const places = [entry.position + 1, head.head.position];
  for (const { position, prevHash } of neighbours) places.push(position + (prevHash === entry.hash ? -1 : 1));
  return places.find((place) => hashAt(entry, place) === entry.hash);
}

interface End {
  head: AuditHead;
  /** Position of the last existing entry. */
  position: number;
  hasRows: boolean;
}

/** The head and the last entry at one moment. */
async function readEnd({ db }: Session, tenantId: string): Promise<End> {
  const [end] = await db
    .select({
      position: sql<
        string | null
      >`(select max(${auditEntries.position}) from ${auditEntries} where ${auditEntries.tenantId} = ${tenantId})`,
      headPosition: sql<
        string | null
      >`(select ${auditHeads.position} from ${auditHeads} where ${auditHeads.tenantId} = ${tenantId})`,
      headHash: sql<
        string | null
      >`(select ${auditHeads.hash} from ${auditHeads} where ${auditHeads.tenantId} = ${tenantId})`,
      hasRows: sql<boolean>`exists (select from ${requests} where ${requests.tenantId} = ${tenantId})
        or exists (select from ${stops} where ${isOfLog(tenantId)})`,
    })
    .from(sql`(select) as one_row`);
  return {
    head: { position: Number(end?.headPosition ?? 0), hash: end?.headHash ?? emptyAuditHead.hash },
    position: Number(end?.position ?? 0),
    hasRows: end?.hasRows ?? false,
  };
}

function endFault(
  { head, hasRows }: End,
  last: AuditHead,
  entry: StoredAuditEntry | undefined,
  anchor: AuditHead | undefined,
): Fault | undefined {
  if (head.position > last.position) {
    return headFault(
      last.position + 1,
      `the log ends at entry ${last.position}, but its head is at ${head.position}`,
    );
  }
  if (head.position < last.position) {
    return headFault(
      head.position + 1,
      `the head is at entry ${head.position}, but the log ends at ${last.position}`,
    );
  }
  if (head.hash !== last.hash) {
    return headFault(last.position, "the hash of the last entry differs from the head", entry?.approvalId);
  }
  if (last.position === 0 && hasRows) return headFault(1, "there are approvals or stops, but no log");
  if (anchor && anchor.position > last.position) {
    return headFault(
      last.position + 1,
      `the log ends at entry ${last.position}, but the anchor is at ${anchor.position}`,
    );
  }
  return undefined;
}

function headFault(position: number, what: string, approvalId: string | null = null): Fault {
  const message = `Entry ${position}: ${what}`;
  return { ok: false, position, problem: "head", ...(approvalId === null ? {} : { approvalId }), message };
}

function broken(problem: Fault["problem"], entry: StoredAuditEntry, why: string): Fault {
  const { position, approvalId } = entry;
  const message = `Entry ${position} (${entry.type}): ${why}`;
  return { ok: false, position, problem, ...(approvalId === null ? {} : { approvalId }), message };
}

function headOf({ position, hash }: AuditHead): AuditHead {
  return { position, hash };
}
