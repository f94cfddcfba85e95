import { type Risk, risks } from "@countersign/policy/internal/policy/rules/rule";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { and, asc, count, desc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { type ListName, listNames } from "../../approval/list-names.js";
import { type Session, type Transaction, together } from "../database.js";
import type { ApprovalCounts, ListFacets, ReadingPort } from "../ports/reading-port.js";
import { hasStatus } from "../rows/has-status.js";
import { conditionsOf } from "../rows/list.js";
import { inList } from "../rows/named-lists.js";
import { visibleTo } from "../rows/visible-to.js";
import { approvals, snoozes } from "../schema.js";

/** Maximum number of rows to count; more are reported as this many. Up to 10,000 are exact. */
const maxCount = 10_001;
/** Maximum number of different values of one facet. */
const maxValues = 50;

export async function countApprovals(
  session: Transaction,
  { tenantId, visibleTo: principal, decidedAfter }: Parameters<ReadingPort["countApprovals"]>[0],
): Promise<ApprovalCounts> {
  const ofTenant = eq(approvals.tenantId, tenantId);
  const mine = and(ofTenant, visibleTo(principal));
  const isInTime = sql`(${approvals.heldUntil} is not null or ${approvals.expiresAt} > ${session.now})`;
  const pending = and(mine, hasStatus("pending"), isInTime);
  const cutOff = and(mine, hasStatus("interrupted"), isNull(approvals.resolutionOutcome));
  const byRisk: Record<Risk, number> = { low: 0, medium: 0, high: 0, critical: 0 };
  let all = 0;
  const own = { tenantId, visibleTo: principal, decidedBy: principal.id };
  const [waiting, interrupted, nextReturn, decidedByYou, ...lists] = await together([
    countedByRisk(session, pending),
    counted(session, cutOff),
    firstReturn(session, principal),
    decidedAfter && counted(session, and(...conditionsOf(session, { ...own, decidedAfter }))),
    ...listNames.map((name) => counted(session, and(ofTenant, inList(name, principal, session.now)))),
  ]);
  for (const { value, count } of waiting) {
    byRisk[value] += count;
    all += count;
  }
  const named = listNames.map((name, at) => [name, lists[at] ?? 0]);
  return {
    pending: all,
    byRisk,
    interrupted,
    nextReturn,
    ...(decidedByYou === undefined ? {} : { decidedByYou }),
    lists: Object.fromEntries(named) as Record<ListName, number>,
  };
}

/** When the first of the calls that a person has put aside comes back, if it still waits for them by then. */
async function firstReturn(session: Transaction, principal: Principal): Promise<Date | null> {
  const { db, now, statementNow } = session;
  const { tenantId, id } = principal;
  const isTheirs = and(eq(snoozes.tenantId, tenantId), eq(snoozes.principalId, id));
  const [row] = await db
    .select({ until: snoozes.until })
    .from(snoozes)
    .innerJoin(approvals, and(eq(approvals.tenantId, snoozes.tenantId), eq(approvals.id, snoozes.approvalId)))
    .where(and(isTheirs, gt(snoozes.until, statementNow), inList("snoozed", principal, now)))
    .orderBy(asc(snoozes.until))
    .limit(1);
  return row?.until ?? null;
}

export async function listFacets(
  session: Session,
  filter: Parameters<ReadingPort["listFacets"]>[0],
): Promise<ListFacets> {
  const { tenantId, list } = filter;
  const whole = and(...conditionsOf(session, { tenantId, list }));
  const [found, ofRisk, tools, requesters] = await together([
    counted(session, and(...conditionsOf(session, filter))),
    countedByRisk(session, whole),
    countedBy(session, "toolName", whole),
    countedBy(session, "requesterId", whole),
  ]);
  return {
    found,
    risks: ofRisk,
    tools,
    requesters: requesters.map(({ value, count }) => ({ value, count })),
  };
}

async function counted({ db }: Session, condition: SQL | undefined): Promise<number> {
  const some = db.select({ id: approvals.id }).from(approvals).where(condition).limit(maxCount).as("some");
  const [row] = await db.select({ count: count() }).from(some);
  return Number(row?.count ?? 0);
}

async function countedByRisk(
  session: Session,
  condition: SQL | undefined,
): Promise<{ value: Risk; count: number }[]> {
  const rows = await countedBy(session, "risk", condition);
  return rows.flatMap(({ value, count }) => {
    const risk = risks.find((each) => each === value);
    return risk ? [{ value: risk, count }] : [];
  });
}

/** The most frequent values of a column, and what the rules call the calls with each, if they call all of them the same. */
async function countedBy(
  { db }: Session,
  column: "risk" | "toolName" | "requesterId",
  condition: SQL | undefined,
): Promise<{ value: string; label: string | null; count: number }[]> {
  const some = db
    .select({
      value: sql<string | null>`${approvals[column]}`.as("value"),
      label: (column === "toolName"
        ? sql<string | null>`${approvals.terms}->>'label'`
        : sql<string | null>`null::text`
      ).as("label"),
    })
    .from(approvals)
    .where(condition)
    .limit(maxCount)
    .as("some");
  const rows = await db
    .select({
      value: some.value,
      label: sql<
        string | null
      >`case when min(${some.label}) = max(${some.label}) then min(${some.label}) end`,
      count: count(),
    })
    .from(some)
    .groupBy(some.value)
    .orderBy(desc(count()), some.value)
    .limit(maxValues);
  return rows.flatMap(({ value, label, count }) =>
    value === null ? [] : [{ value, label, count: Number(count) }],
  );
}
