import canonicalize from "canonicalize";
import { eq, gt, or, sql } from "drizzle-orm";
import { type AuditHead, type AuditVerification, auditHash, emptyAuditHead } from "../audit/audit-entry.js";
import { readStored, type StoredAuditEntry } from "./audit.js";
import type { Session } from "./database.js";
import { auditEntries, auditHeads, requests } from "./schema.js";
import type { Transact } from "./transact.js";

type Fault = Extract<AuditVerification, { ok: false }>;

/**
 * Recomputes a tenant's chain, a batch at a time, and compares its end with the head. Takes no lock: what is appended
 * meanwhile is verified as well.
 *
 * @param inTenant Runs one batch's reading, so that nothing is held open while the chain is computed.
 * @param anchor A head that was noted earlier, outside of this database. Whoever may change everything in it can
 * compute a whole new chain; only something that they cannot reach tells it from the old one.
 */
export async function verifyAudit(
  inTenant: Transact,
  tenantId: string,
  anchor?: AuditHead,
): Promise<AuditVerification> {
  let last: AuditHead = emptyAuditHead;
  let previous: StoredAuditEntry | undefined;
  for (;;) {
    const after = previous ? gt(auditEntries.position, previous.position) : undefined;
    const batch = await inTenant((tx) => readStored(tx, tenantId, after));
    for (const entry of batch) {
      const fault = await faultOf(inTenant, entry, previous);
      if (fault) return fault;
      if (anchor?.position === entry.position && anchor.hash !== entry.hash) {
        return broken("changed", entry, "its hash is not the one that was noted: the log was written anew");
      }
      last = previous = entry;
    }
    if (batch.length > 0) continue;
    const end = await inTenant((tx) => readEnd(tx, tenantId));
    if (end.position > last.position) continue;
    return endFault(end, last, previous, anchor) ?? { ok: true, entries: last.position, head: headOf(last) };
  }
}

async function faultOf(
  inTenant: Transact,
  entry: StoredAuditEntry,
  previous: StoredAuditEntry | undefined,
): Promise<Fault | undefined> {
  const place = (previous?.position ?? 0) + 1;
  if (entry.position > place) {
    const message = `Entry ${place} is missing: the next one that is there is ${entry.position}`;
    return { ok: false, position: place, problem: "missing", message };
  }
  if (entry.position < place) return broken("changed", entry, "no log has an entry at this place");
  if (hashAt(entry, entry.position) !== entry.hash) {
    const origin = await inTenant((tx) => originOf(tx, entry));
    if (origin === undefined) return broken("changed", entry, "its content does not give its hash");
    return broken("reordered", entry, `what stands here was written as entry ${origin}`);
  }
  if (entry.prevHash === (previous ?? emptyAuditHead).hash) return undefined;
  if (!previous) return broken("changed", entry, "the first entry continues another one");
  return broken("changed", previous, `it was written anew: entry ${entry.position} continues another one`);
}

/** The hash that the stored content gives at a place; `undefined` where it is not what we ever write. */
function hashAt(entry: StoredAuditEntry, position: number): string | undefined {
  try {
    // Text that means the same, or a number too exact to be read, is a change as well.
    return canonicalize(entry.data) === entry.dataText ? auditHash({ ...entry, position }) : undefined;
  } catch {
    return undefined;
  }
}

/** Where an entry that stands at the wrong place came from, found by its neighbours in the chain. */
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
  /** Place of the last entry that is there. */
  position: number;
  hasRequests: boolean;
}

/** The head and the last entry, of one moment. */
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
      hasRequests: sql<boolean>`exists (select from ${requests} where ${requests.tenantId} = ${tenantId})`,
    })
    .from(sql`(select) as one_row`);
  return {
    head: { position: Number(end?.headPosition ?? 0), hash: end?.headHash ?? emptyAuditHead.hash },
    position: Number(end?.position ?? 0),
    hasRequests: end?.hasRequests ?? false,
  };
}

function endFault(
  { head, hasRequests }: End,
  last: AuditHead,
  entry: StoredAuditEntry | undefined,
  anchor: AuditHead | undefined,
): Fault | undefined {
  if (head.position > last.position) {
    return headFault(
      last.position + 1,
      `the log ends at entry ${last.position}, and its head at ${head.position}`,
    );
  }
  if (head.position < last.position) {
    return headFault(
      head.position + 1,
      `the head ends at entry ${head.position}, and the log at ${last.position}`,
    );
  }
  if (head.hash !== last.hash) {
    return headFault(last.position, "the last entry has another hash than the head", entry?.approvalId);
  }
  if (last.position === 0 && hasRequests) return headFault(1, "the tenant has approvals, and no log");
  if (anchor && anchor.position > last.position) {
    return headFault(
      last.position + 1,
      `the log ends at entry ${last.position}, and went on to ${anchor.position}`,
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
