import { and, asc, eq, inArray, isNotNull, lt, ne, or, sql } from "drizzle-orm";
import { type PublishedType, publishedTypes } from "../../audit/published-types.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import type { Session } from "../database.js";
import type { Unpublished } from "../ports/audit-port.js";
import { approvals, auditEntries, auditHeads } from "../schema.js";

/** Tenants whose logs have grown since their events were last sent. */
export async function unpublishedTenants({ db }: Session, limit: number): Promise<string[]> {
  const rows = await db
    .select({ tenantId: auditHeads.tenantId })
    .from(auditHeads)
    .where(lt(auditHeads.publishedPosition, auditHeads.position))
    .limit(limit);
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * The oldest transitions of a tenant whose events may not have been sent. The writers of a log take turns, so its
 * positions appear in order and without gaps. Therefore no further entry can appear at or below `upTo`.
 */
export async function readUnpublished(
  session: Session,
  tenantId: string,
  limit: number,
): Promise<Unpublished> {
  let rows = await unpublished(session, { tenantId, limit });
  let head: number | null = null;
  if (rows.length === 0) {
    head = await headOfUnread(session, tenantId);
    // What was committed since then must not be skipped.
    rows = head === null ? [] : await unpublished(session, { tenantId, limit });
  }
  const last = rows.at(-1);
  if (!last) return { upTo: head, transitions: [] };
  const transitions = rows.map(({ head: _, ...transition }) => transition);
  return { upTo: rows.length === limit ? last.position : Number(last.head), transitions };
}

/** With the log's head, as it was when the statement began. Drizzle would write columns without their tables here. */
const unpublished = builtOnce(({ db }, value: ValueOf<"tenantId" | "limit">) =>
  db
    .select({
      position: auditEntries.position,
      type: sql<PublishedType>`${auditEntries.type}`,
      actorId: auditEntries.actorId,
      at: auditEntries.at,
      data: auditEntries.data,
      approvalId: approvals.id,
      requestId: approvals.requestId,
      threadId: approvals.threadId,
      toolName: approvals.toolName,
      digest: approvals.digest,
      risk: approvals.risk,
      awaitedEventId: approvals.awaitedEventId,
      decidedAt: approvals.decidedAt,
      decisionReason: approvals.decisionReason,
      withdrawalCause: approvals.withdrawalCause,
      head: sql<string>`(select head.position from ${auditHeads} head where head.tenant_id = ${value("tenantId")})`,
    })
    .from(auditEntries)
    .innerJoin(
      approvals,
      and(eq(approvals.id, auditEntries.approvalId), eq(approvals.tenantId, auditEntries.tenantId)),
    )
    .where(
      and(
        eq(auditEntries.tenantId, value("tenantId")),
        sql`${auditEntries.position} > (select head.published_position from ${auditHeads} head where head.tenant_id = ${value("tenantId")})`,
        inArray(auditEntries.type, [...publishedTypes]),
        or(ne(auditEntries.type, "approval.announced"), isNotNull(approvals.awaitedEventId)),
      ),
    )
    .orderBy(asc(auditEntries.position))
    .limit(value("limit")),
);

/** The head of a log with new entries of any kind; `null` if there are none. */
async function headOfUnread({ db }: Session, tenantId: string): Promise<number | null> {
  const [head] = await db
    .select({ position: auditHeads.position })
    .from(auditHeads)
    .where(and(eq(auditHeads.tenantId, tenantId), lt(auditHeads.publishedPosition, auditHeads.position)));
  return head?.position ?? null;
}

/** Records that the events up to a position were sent. Never moves back. */
export async function markPublished({ db }: Session, tenantId: string, upTo: number): Promise<void> {
  await db
    .update(auditHeads)
    .set({ publishedPosition: sql`greatest(${auditHeads.publishedPosition}, ${upTo}::bigint)` })
    .where(and(eq(auditHeads.tenantId, tenantId), lt(auditHeads.publishedPosition, upTo)));
}
