import { and, asc, eq, gt, inArray, isNotNull, lt, lte, ne, or, sql } from "drizzle-orm";
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
  const [head] = await session.db
    .select({ position: auditHeads.position, published: auditHeads.publishedPosition })
    .from(auditHeads)
    .where(eq(auditHeads.tenantId, tenantId));
  if (!head || head.published >= head.position) return { upTo: null, transitions: [] };
  const { published, position } = head;
  const transitions = await transitionsIn(session, { tenantId, published, position, limit });
  const last = transitions.length === limit ? transitions.at(-1) : undefined;
  return { upTo: last?.position ?? head.position, transitions };
}

const transitionsIn = builtOnce(({ db }, value: ValueOf<"tenantId" | "published" | "position" | "limit">) =>
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
    })
    .from(auditEntries)
    .innerJoin(
      approvals,
      and(eq(approvals.id, auditEntries.approvalId), eq(approvals.tenantId, auditEntries.tenantId)),
    )
    .where(
      and(
        eq(auditEntries.tenantId, value("tenantId")),
        gt(auditEntries.position, value("published")),
        lte(auditEntries.position, value("position")),
        inArray(auditEntries.type, [...publishedTypes]),
        or(ne(auditEntries.type, "approval.announced"), isNotNull(approvals.awaitedEventId)),
      ),
    )
    .orderBy(asc(auditEntries.position))
    .limit(value("limit")),
);

/** Records that the events up to a position were sent. Never moves back. */
export async function markPublished({ db }: Session, tenantId: string, upTo: number): Promise<void> {
  await db
    .update(auditHeads)
    .set({ publishedPosition: sql`greatest(${auditHeads.publishedPosition}, ${upTo}::bigint)` })
    .where(and(eq(auditHeads.tenantId, tenantId), lt(auditHeads.publishedPosition, upTo)));
}
