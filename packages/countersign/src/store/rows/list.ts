import {
  and,
  asc,
  desc,
  eq,
  ilike,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { Session } from "../database.js";
import type { ApprovalOrder, ListFilter, Outcome } from "../ports/reading-port.js";
import { approvals } from "../schema.js";
import { hasStatus } from "./has-status.js";
import { hasVoted, inList } from "./named-lists.js";
import { withPeople } from "./read-approval.js";
import { decidableNow, visibleTo } from "./visible-to.js";

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

/** What the policy or a grant let through was judged by nobody. */
function hasOutcome(outcome: Outcome): (SQL | undefined)[] {
  const byPerson = [isNotNull(approvals.decidedBy), isNull(approvals.grantId)];
  if (outcome === "approved") return [...byPerson, inArray(approvals.decisionType, ["approve", "edit"])];
  return outcome === "denied" ? [...byPerson, eq(approvals.decisionType, "deny")] : byPerson;
}

function isDecidedBy(personId: string): (SQL | undefined)[] {
  return [
    isNotNull(approvals.decidedAt),
    isNull(approvals.grantId),
    or(eq(approvals.decidedBy, personId), hasVoted(personId)),
  ];
}

/** As a number: Postgres does not read every year that JavaScript writes. */
function instant(time: Date): SQL {
  return sql`to_timestamp(${time.getTime()}::float8 / 1000)`;
}

/** The conditions of a filter, without its place in a list. */
export function conditionsOf(
  { now }: Session,
  filter: Omit<ListFilter, "limit" | "after" | "order">,
): (SQL | undefined)[] {
  const conditions: (SQL | undefined)[] = [eq(approvals.tenantId, filter.tenantId)];
  if (filter.statuses) conditions.push(hasStatus(...filter.statuses));
  // An expired call is no longer pending, even before its run has recorded the expiry. A decision that is held was in time.
  if (filter.statuses?.includes("pending") && !filter.statuses.includes("expired")) {
    conditions.push(
      sql`(${approvals.status} <> 'pending' or ${approvals.heldUntil} is not null or ${approvals.expiresAt} > ${now})`,
    );
  }
  if (filter.threadId !== undefined) conditions.push(eq(approvals.threadId, filter.threadId));
  if (filter.requesterId !== undefined) conditions.push(eq(approvals.requesterId, filter.requesterId));
  if (filter.assigneeId !== undefined) conditions.push(eq(approvals.assigneeId, filter.assigneeId));
  if (filter.toolName !== undefined) conditions.push(eq(approvals.toolName, filter.toolName));
  if (filter.toolCallId !== undefined) conditions.push(eq(approvals.toolCallId, filter.toolCallId));
  if (filter.requestId !== undefined) conditions.push(eq(approvals.requestId, filter.requestId));
  if (filter.risks !== undefined) conditions.push(inArray(approvals.risk, [...filter.risks]));
  if (filter.endsWithinMs !== undefined) {
    conditions.push(
      lte(approvals.expiresAt, sql`${now} + ${filter.endsWithinMs} * interval '1 millisecond'`),
    );
  }
  if (filter.outcome) conditions.push(...hasOutcome(filter.outcome));
  if (filter.decidedWithinMs !== undefined) {
    // Bound as text: a Date would lose its fraction.
    const until = filter.before ? sql`${filter.before.createdAt.toISOString()}::timestamptz` : now;
    conditions.push(
      sql`${approvals.decidedAt} > ${until} - ${filter.decidedWithinMs} * interval '1 millisecond'`,
    );
  }
  if (filter.decidedAfter) conditions.push(sql`${approvals.decidedAt} > ${instant(filter.decidedAfter)}`);
  if (filter.decidedBefore) conditions.push(sql`${approvals.decidedAt} < ${instant(filter.decidedBefore)}`);
  if (filter.decidedBy !== undefined) conditions.push(...isDecidedBy(filter.decidedBy));
  if (filter.before) {
    conditions.push(ne(approvals.id, filter.before.id), lte(approvals.createdAt, filter.before.createdAt));
  }
  if (filter.list) conditions.push(inList(filter.list.name, filter.list.of, now));
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
