import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type Risk, risks } from "../../policy/rules/rule.js";
import type { Principal } from "../../shared/principal.js";
import { type Session, together } from "../database.js";
import type { ApprovalCounts } from "../ports/reading-port.js";
import { hasStatus } from "../rows/has-status.js";
import { visibleTo } from "../rows/list.js";
import { approvals } from "../schema.js";

/** Maximum number of rows to count; more are reported as this many. */
const maxCount = 10_000;

export async function countApprovals(
  session: Session,
  { tenantId, visibleTo: principal }: { tenantId: string; visibleTo: Principal },
): Promise<ApprovalCounts> {
  const mine = and(eq(approvals.tenantId, tenantId), visibleTo(principal));
  const pending = and(mine, hasStatus("pending"), sql`${approvals.expiresAt} > ${session.now}`);
  const cutOff = and(mine, hasStatus("interrupted"), isNull(approvals.resolutionOutcome));
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
    .limit(maxCount)
    .as("some");
  const rows = await db
    .select({ risk: some.risk, count: sql<string>`count(*)::text` })
    .from(some)
    .groupBy(some.risk);
  return rows.flatMap(({ risk, count }) => (risks.includes(risk) ? [{ risk, count: Number(count) }] : []));
}
