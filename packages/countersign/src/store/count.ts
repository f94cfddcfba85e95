import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type Risk, risks } from "../policy/rule.js";
import type { Principal } from "../principal.js";
import { type Session, together } from "./database.js";
import { visibleTo } from "./list.js";
import { approvals } from "./schema.js";

/** Rows that are counted at most; more are told as this many. */
const mostCounted = 10_000;

/** How many calls wait for somebody, and how many were cut off and not looked into. */
export interface ApprovalCounts {
  pending: number;
  byRisk: Record<Risk, number>;
  interrupted: number;
}

export async function countApprovals(
  session: Session,
  { tenantId, visibleTo: principal }: { tenantId: string; visibleTo: Principal },
): Promise<ApprovalCounts> {
  const mine = and(eq(approvals.tenantId, tenantId), visibleTo(principal));
  const pending = and(mine, eq(approvals.status, "pending"), sql`${approvals.expiresAt} > ${session.now}`);
  const cutOff = and(mine, eq(approvals.status, "interrupted"), isNull(approvals.resolutionOutcome));
  const byRisk: Record<Risk, number> = { low: 0, medium: 0, high: 0, critical: 0 };
  let all = 0;
  const [waiting, interrupted] = await together([
    countedByRisk(session, pending),
    countedByRisk(session, cutOff),
  ]);
  for (const { risk, count } of waiting) {
    byRisk[risk] += count;
    all += count;
  }
  return { pending: all, byRisk, interrupted: interrupted.reduce((sum, { count }) => sum + count, 0) };
}

async function countedByRisk(
  { db }: Session,
  condition: SQL | undefined,
): Promise<{ risk: Risk; count: number }[]> {
  const some = db
    .select({ risk: approvals.risk })
    .from(approvals)
    .where(condition)
    .limit(mostCounted)
    .as("some");
  const rows = await db
    .select({ risk: some.risk, count: sql<string>`count(*)::text` })
    .from(some)
    .groupBy(some.risk);
  return rows.flatMap(({ risk, count }) => (risks.includes(risk) ? [{ risk, count: Number(count) }] : []));
}
