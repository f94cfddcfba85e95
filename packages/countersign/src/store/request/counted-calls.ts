import { countedAs } from "@countersign/policy/internal/policy/counts";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { type Session, together } from "../database.js";
import type { CountQuery, RequestPort } from "../ports/request-port.js";
import type { RequestDraft } from "../request-seen.js";
import { approvals, countedCalls } from "../schema.js";

/**
 * What the calls of some counters amounted to, exactly, in the order of the queries. Calls that did not run and never will
 * do not count (uncounted-calls.sql). All others are: in doubt, a call ran.
 */
export function readCounts(
  session: Session,
  tenantId: string,
  queries: readonly CountQuery[],
  counting?: Parameters<RequestPort["readCounts"]>[2],
): Promise<number[]> {
  const { until, only } = boundsOf(session, counting);
  return together(
    queries.map(async ({ counter, windowMs }) => {
      const [found] = await session.db
        .select({ amount: sql<string>`coalesce(sum(${countedCalls.amount}), 0)::text` })
        .from(countedCalls)
        .where(
          and(
            eq(countedCalls.tenantId, tenantId),
            eq(countedCalls.counter, counter),
            countedCalls.counts,
            // A query of its own is answered once. Otherwise the clock would be asked for each call that was ever counted.
            sql`${countedCalls.at} > (select ${until} - ${windowMs} * interval '1 millisecond')`,
            only,
          ),
        );
      return Number(found?.amount ?? 0);
    }),
  );
}

/** The end of the windows, and the calls that are left out. */
function boundsOf(
  { now }: Session,
  counting: Parameters<RequestPort["readCounts"]>[2],
): { until: SQL; only: SQL | undefined } {
  if (!counting) return { until: now, only: undefined };
  if ("except" in counting)
    return { until: now, only: sql`${countedCalls.approvalId} <> ${counting.except}` };
  const own = (column: SQL) =>
    sql`(select ${column} from ${countedCalls} own where own.approval_id = ${counting.before})`;
  const proposedAt = sql`(select ${approvals.createdAt} from ${approvals} where id = ${counting.before})`;
  const until = sql`coalesce(${own(sql`max(own.at)`)}, ${proposedAt})`;
  // A call that is not counted itself was judged with those that were counted when it was proposed.
  const first = own(sql`min(own.position)`);
  return {
    until,
    only: sql`case when ${first} is null then ${countedCalls.at} <= ${proposedAt}
      else ${countedCalls.position} < ${first} end`,
  };
}

/** Counts a call anew whose arguments a person has changed: from now on, and behind all others. */
export function countAnew(request: RequestDraft, approval: Approval, inputJson: string): void {
  const { id: approvalId, tenantId, terms } = approval;
  if (terms.countedIn.length === 0) return;
  const call = { ...approval, input: JSON.parse(inputJson) };
  request.also.turn = tenantId;
  request.also.counted = { approvalId, tenantId, rows: countedAs(terms.countedIn, call) };
}
