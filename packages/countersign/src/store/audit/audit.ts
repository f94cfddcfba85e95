import { canonicalJson } from "@countersign/policy/internal/shared/canonical-json";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, asc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { type AuditEntry, canonicalParts, storableData } from "../../audit/audit-entry.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import { logNotice } from "../connection/change-feed.js";
import { type NewAuditEntry, oneRow, type Session, type Transaction, together } from "../database.js";
import type { AuditFilter, LogPart } from "../ports/audit-port.js";
import { hasId } from "../rows/has-id.js";
import { visibleTo } from "../rows/visible-to.js";
import { approvals, auditEntries, auditHeads, requests, stops } from "../schema.js";

/** Maximum number of entries that one statement reads. */
const batchSize = 500;

/** Records an entry in the transaction of its event. Never holds arguments. */
export function audit(tx: Transaction, entry: NewAuditEntry): void {
  tx.audited.push(entry);
}

/** The actor's roles and authentication, for the audit entry. */
export function actedAs({ roles, authenticatedBy }: Pick<Principal, "roles" | "authenticatedBy">): {
  roles: string[];
  via?: string;
} {
  return { roles, ...(authenticatedBy === undefined ? {} : { via: authenticatedBy }) };
}

/**
 * Appends a transaction's entries to the chains of its tenants, one statement for each tenant. Comes last, right before
 * the commit: every writer of a tenant waits for its head, so taking another lock after it could deadlock.
 */
export async function appendAudited(tx: Transaction): Promise<void> {
  const logs = logsOf(tx.audited);
  for (const { tenantId } of logs) tx.notices.add(logNotice(tenantId));
  await together(
    logs.map(({ tenantId, entries }) => appending(tx, { tenantId, entries: JSON.stringify(entries) })),
  );
}

const appending = builtOnce(({ db, clockOffsetMs }, value: ValueOf<"tenantId" | "entries">) => {
  const shift = sql`${clockOffsetMs}::double precision`;
  const appended = sql`countersign.append_to_audit_log(${value("tenantId")}, ${shift}, ${value("entries")}::json)`;
  return db.select({ appended }).from(oneRow);
});

/** What the database appends to the log of one tenant. */
interface Appended {
  tenantId: string;
  entries: object[];
}

/** Entries by the logs that they belong to, in the order in which all transactions lock these. */
export function logsOf(audited: readonly NewAuditEntry[]): Appended[] {
  const byTenant = new Map<string, object[]>();
  for (const { countedOnly, tenantId: ofTenant, approvalId, type, actorId, data } of audited) {
    if (countedOnly) continue;
    const tenantId = storableText(ofTenant);
    const content = {
      tenantId,
      type,
      approvalId: approvalId === null ? null : storableText(approvalId),
      actorId: typeof actorId === "string" ? storableText(actorId) : null,
      data: storableData(data ?? {}),
    };
    const { toTime, toPosition, toEnd } = canonicalParts(content);
    const entry = {
      approval_id: content.approvalId,
      type,
      actor_id: content.actorId,
      data: canonicalJson(content.data),
      to_time: toTime,
      to_position: toPosition,
      to_end: toEnd,
    };
    byTenant.set(tenantId, [...(byTenant.get(tenantId) ?? []), entry]);
  }
  return [...byTenant]
    .map(([tenantId, entries]) => ({ tenantId, entries }))
    .sort((one, other) => (one.tenantId < other.tenantId ? -1 : 1));
}

/** An entry, with its details as the text in the table. */
export type StoredAuditEntry = AuditEntry & { dataText: string };

/** Entries of one tenant that meet a condition, in order, without a conversion that would hide a change. */
export async function readStored(
  { db }: Session,
  tenantId: string,
  condition: SQL | undefined,
  limit = batchSize,
): Promise<StoredAuditEntry[]> {
  const rows = await db
    .select({
      tenantId: auditEntries.tenantId,
      position: auditEntries.position,
      approvalId: auditEntries.approvalId,
      type: auditEntries.type,
      actorId: auditEntries.actorId,
      atMs: sql<string>`(extract(epoch from ${auditEntries.at}) * 1000)::text`,
      dataText: sql<string>`${auditEntries.data}::text`,
      prevHash: auditEntries.prevHash,
      hash: auditEntries.hash,
    })
    .from(auditEntries)
    .where(and(eq(auditEntries.tenantId, tenantId), condition))
    .orderBy(asc(auditEntries.position))
    .limit(limit);
  return rows.map(({ atMs, ...row }) => ({
    ...row,
    at: Number.isInteger(Number(atMs)) ? new Date(Number(atMs)) : new Date(Number.NaN),
    data: JSON.parse(row.dataText),
  }));
}

/** The audit entries of one approval, oldest first. */
export async function auditTrail(
  session: Session,
  tenantId: string,
  approvalId: string,
): Promise<AuditEntry[]> {
  const trail: AuditEntry[] = [];
  for await (const entry of readAll((after) => listAudit(session, { tenantId, approvalId, after }))) {
    trail.push(entry);
  }
  return trail;
}

export async function listAudit(session: Session, filter: AuditFilter): Promise<AuditEntry[]> {
  const { tenantId, approvalId, principal, after, limit } = filter;
  const seen =
    principal &&
    session.db
      .select({ id: approvals.id })
      .from(approvals)
      .where(and(eq(approvals.tenantId, tenantId), visibleTo(principal)));
  const condition = and(
    approvalId === undefined ? undefined : hasId(auditEntries.approvalId, approvalId),
    seen && inArray(auditEntries.approvalId, seen),
    after === undefined ? undefined : gt(auditEntries.position, after),
  );
  const stored = await readStored(session, tenantId, condition, limit);
  return stored.map(({ dataText: _, ...entry }) => entry);
}

/** Position of a tenant's newest entry; 0 if there is none. */
export async function auditPosition({ db }: Session, tenantId: string): Promise<number> {
  const [head] = await db
    .select({ position: auditHeads.position })
    .from(auditHeads)
    .where(eq(auditHeads.tenantId, tenantId));
  return head?.position ?? 0;
}

/** All entries of a paged list, or those of a part of the log, holding one page in memory at a time. */
export async function* readAll(
  page: (after: number | undefined) => Promise<AuditEntry[]>,
  { firstPosition = 1, lastPosition = Number.POSITIVE_INFINITY }: Partial<LogPart> = {},
): AsyncGenerator<AuditEntry> {
  let after = firstPosition > 1 ? firstPosition - 1 : undefined;
  for (;;) {
    const entries = await page(after);
    for (const entry of entries) {
      if (entry.position > lastPosition) return;
      yield entry;
    }
    const last = entries.at(-1);
    // A position beyond any log of ours cannot be compared, and would be read endlessly.
    if (!last || !Number.isSafeInteger(last.position) || last.position === lastPosition) return;
    after = last.position;
  }
}

/** Every tenant that has a log, or should have one. */
export async function auditedTenants({ db }: Session): Promise<string[]> {
  const rows = await db
    .select({ tenantId: auditHeads.tenantId })
    .from(auditHeads)
    .union(db.selectDistinct({ tenantId: auditEntries.tenantId }).from(auditEntries))
    .union(db.selectDistinct({ tenantId: requests.tenantId }).from(requests))
    // Stops for all tenants are in the system's own log.
    .union(db.selectDistinct({ tenantId: sql<string>`coalesce(${stops.tenantId}, '')` }).from(stops));
  return rows.map(({ tenantId }) => tenantId).sort();
}

/** Positions of the newest entries of several tenants. One without a log is left out. */
export async function auditPositions(
  { db }: Session,
  tenantIds: readonly string[],
): Promise<{ tenantId: string; position: number }[]> {
  return db
    .select({ tenantId: auditHeads.tenantId, position: auditHeads.position })
    .from(auditHeads)
    .where(inArray(auditHeads.tenantId, [...tenantIds]));
}
