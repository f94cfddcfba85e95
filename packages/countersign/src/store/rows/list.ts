import { and, arrayOverlaps, asc, desc, eq, ilike, isNotNull, like, or, type SQL, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { type Principal, personKey } from "../../shared/principal.js";
import type { Session } from "../database.js";
import type { ApprovalOrder, ListFilter } from "../ports/reading-port.js";
import { approvals } from "../schema.js";
import { hasStatus } from "./has-status.js";
import { withPeople } from "./read-approval.js";

const oldestFirst: ApprovalOrder = { by: "createdAt", latestFirst: false };

/** Approvals in one order, seek-paged: each page starts after the last row of the previous one. */
export async function listApprovals(session: Session, filter: ListFilter): Promise<Approval[]> {
  const { db } = session;
  const { by, latestFirst } = filter.order ?? oldestFirst;
  const column = approvals[by];
  const conditions = [...conditionsOf(session, filter), by === "createdAt" ? undefined : isNotNull(column)];
  if (filter.after) {
    const { at, id } = filter.after;
    const place = sql`(${at.toISOString()}::timestamptz, ${id})`;
    conditions.push(
      latestFirst
        ? sql`(${column}, ${approvals.id}) < ${place}`
        : sql`(${column}, ${approvals.id}) > ${place}`,
    );
  }
  const direction = latestFirst ? desc : asc;
  const rows = await db
    .select()
    .from(approvals)
    .where(and(...conditions))
    .orderBy(direction(column), direction(approvals.id))
    .limit(filter.limit);
  return withPeople(session, rows);
}

function conditionsOf({ now }: Session, filter: ListFilter): (SQL | undefined)[] {
  const conditions: (SQL | undefined)[] = [eq(approvals.tenantId, filter.tenantId)];
  if (filter.statuses) conditions.push(hasStatus(...filter.statuses));
  // An expired call is no longer pending, even before its run has recorded the expiry.
  if (filter.statuses?.includes("pending") && !filter.statuses.includes("expired")) {
    conditions.push(sql`(${approvals.status} <> 'pending' or ${approvals.expiresAt} > ${now})`);
  }
  if (filter.threadId !== undefined) conditions.push(eq(approvals.threadId, filter.threadId));
  if (filter.requesterId !== undefined) conditions.push(eq(approvals.requesterId, filter.requesterId));
  if (filter.assigneeId !== undefined) conditions.push(eq(approvals.assigneeId, filter.assigneeId));
  if (filter.toolName !== undefined) conditions.push(eq(approvals.toolName, filter.toolName));
  if (filter.toolCallId !== undefined) conditions.push(eq(approvals.toolCallId, filter.toolCallId));
  if (filter.requestId !== undefined) conditions.push(eq(approvals.requestId, filter.requestId));
  if (filter.risk !== undefined) conditions.push(eq(approvals.risk, filter.risk));
  for (const word of filter.text?.split(/\s+/).filter(Boolean) ?? []) {
    const like = `%${word.replace(/[\\%_]/g, "\\$&")}%`;
    // Summaries group the digits of numbers, which few people type.
    const ungrouped = /\d{4}/.test(word) ? [ilike(sql`replace(${approvals.summary}, ',', '')`, like)] : [];
    conditions.push(
      or(
        ilike(approvals.summary, like),
        ilike(approvals.toolName, like),
        ilike(approvals.requesterId, like),
        ...ungrouped,
      ),
    );
  }
  if (filter.visibleTo) conditions.push(visibleTo(filter.visibleTo));
  if (filter.decidableBy) conditions.push(...decidableNow(filter.decidableBy, now));
  return conditions;
}

/** `maySee` in SQL. */
export function visibleTo(principal: Principal): SQL | undefined {
  return or(
    eq(approvals.requesterId, principal.id),
    decidableBy(principal),
    // The name first: it is cheaper to read than the terms.
    and(
      like(approvals.toolName, "%.undo"),
      sql`${approvals.terms} -> 'undoes' ->> 'askedBy' = ${principal.id}`,
    ),
  );
}

/** Calls that a principal could decide now, in at least one way. */
function decidableNow(principal: Principal, now: Session["now"]): (SQL | undefined)[] {
  const decisions = sql`${approvals.terms} -> 'decisions'`;
  const ownApproval = sql`coalesce((${approvals.terms} ->> 'requesterMayNotApprove')::boolean, false)`;
  return [
    hasStatus("pending"),
    sql`${approvals.expiresAt} > ${now}`,
    decidableBy(principal),
    // The requester may at most deny the call, if the rule allows that.
    or(
      sql`lower(${approvals.requesterId}) is distinct from ${personKey(principal.id)}`,
      sql`not ${ownApproval}`,
      sql`coalesce(${decisions} ? 'deny', true)`,
    ),
  ];
}

/** `mayDecide` in SQL. */
function decidableBy(principal: Principal): SQL | undefined {
  const open = sql`${approvals.approverRoles} = '{}' and ${approvals.approverIds} = '{}'`;
  return or(
    open,
    arrayOverlaps(approvals.approverIds, [principal.id]),
    and(
      sql`coalesce((${approvals.terms} ->> 'delegable')::boolean, false)`,
      eq(approvals.assigneeId, principal.id),
    ),
    principal.roles.length > 0 ? arrayOverlaps(approvals.approverRoles, principal.roles) : undefined,
  );
}
