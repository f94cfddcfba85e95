import { and, arrayOverlaps, asc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Approval } from "../approval/approval.js";
import type { Principal } from "../principal.js";
import type { Session } from "./database.js";
import { withPeople } from "./read-approval.js";
import { approvals } from "./schema.js";
import type { ListFilter } from "./store.js";

/** Approvals in order of creation, seek-paged: each page starts after the last row of the one before. */
export async function listApprovals(session: Session, filter: ListFilter): Promise<Approval[]> {
  const { db, now } = session;
  const conditions: (SQL | undefined)[] = [eq(approvals.tenantId, filter.tenantId)];
  if (filter.statuses) conditions.push(inArray(approvals.status, [...filter.statuses]));
  // What ran out is no longer pending, also before its run has written that down.
  if (filter.statuses?.includes("pending") && !filter.statuses.includes("expired")) {
    conditions.push(sql`(${approvals.status} <> 'pending' or ${approvals.expiresAt} > ${now})`);
  }
  if (filter.threadId !== undefined) conditions.push(eq(approvals.threadId, filter.threadId));
  if (filter.requesterId !== undefined) conditions.push(eq(approvals.requesterId, filter.requesterId));
  if (filter.assigneeId !== undefined) conditions.push(eq(approvals.assigneeId, filter.assigneeId));
  if (filter.visibleTo) conditions.push(visibleTo(filter.visibleTo));
  if (filter.after) {
    const { createdAt, id } = filter.after;
    conditions.push(
      sql`(${approvals.createdAt}, ${approvals.id}) > (${createdAt.toISOString()}::timestamptz, ${id})`,
    );
  }
  const rows = await db
    .select()
    .from(approvals)
    .where(and(...conditions))
    .orderBy(asc(approvals.createdAt), asc(approvals.id))
    .limit(filter.limit);
  return withPeople(session, rows);
}

/** `maySee` in SQL. */
export function visibleTo(principal: Principal): SQL | undefined {
  const open = sql`${approvals.approverRoles} = '{}' and ${approvals.approverIds} = '{}'`;
  return or(
    open,
    eq(approvals.requesterId, principal.id),
    arrayOverlaps(approvals.approverIds, [principal.id]),
    and(
      sql`coalesce((${approvals.terms} ->> 'delegable')::boolean, false)`,
      eq(approvals.assigneeId, principal.id),
    ),
    principal.roles.length > 0 ? arrayOverlaps(approvals.approverRoles, principal.roles) : undefined,
  );
}
