import { countedAs } from "@countersign/policy/internal/policy/counts";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { type Session, type Transaction, together } from "../database.js";
import type { CountQuery, RequestPort } from "../ports/request-port.js";
import type { RequestDraft } from "../request-seen.js";
import { approvals, countedCalls, countedHours } from "../schema.js";

/**
 * What the calls of some counters amounted to, exactly, in the order of the queries. Calls that did not run and never will
 * do not count (uncounted-calls.sql). All others are: in doubt, a call ran.
 */
export function readCounts(
  session: Session,
  tenantId: string,
  queries: readonly CountQuery[],
  counting?: Counting,
): Promise<number[]> {
  const bounds = boundsOf(session, counting);
  const except = counting && "except" in counting ? counting.except : null;
  return together(
    queries.map(async ({ counter, windowMs }) => {
      const [found] = await session.db
        .select({
          amount: sql<string>`(sum(part.known + coalesce(calls.amount, 0)) - coalesce(max(own.amount), 0))::text`,
        })
        .from(partsOf(tenantId, counter, windowMs, bounds))
        // A sum of an hour contains the call that is left out.
        .leftJoin(
          sql`${countedCalls} own`,
          sql`own.approval_id = ${except} and own.counter = ${counter} and own.counts and own.at > since`,
        );
      return Number(found?.amount);
    }),
  );
}

type Counting = Parameters<RequestPort["readCounts"]>[2];

/** The parts of a window, each with the sum of an hour and the calls before it: see counted-hours.sql. */
function partsOf(
  tenantId: string,
  counter: string,
  windowMs: number,
  { until, upTo, before, only }: Bounds,
): SQL {
  const { amount, at, counts } = countedCalls;
  const isCounted = and(
    eq(countedCalls.tenantId, tenantId),
    eq(countedCalls.counter, counter),
    counts,
    sql`${at} > part.low and ${at} < part.high`,
    only,
  );
  return sql`(select ${until} - ${windowMs} * interval '1 millisecond' as since) as beginning
    cross join lateral countersign.counted_parts(${tenantId}, ${counter}, since, ${upTo}, ${before}) as part
    cross join lateral (select sum(${amount}) as amount from ${countedCalls} where ${isCounted}) as calls`;
}

interface Bounds {
  /** The end of the windows. */
  until: SQL;
  /** Which calls count: those up to a time, those before a position, or all. */
  upTo: SQL;
  before: SQL;
  only?: SQL;
}

function boundsOf({ now }: Session, counting: Counting): Bounds {
  const none = sql`null`;
  if (!counting || "except" in counting) return { until: now, upTo: none, before: none };
  const own = (column: SQL) =>
    sql`(select ${column} from ${countedCalls} own where own.approval_id = ${counting.before})`;
  const proposedAt = sql`(select ${approvals.createdAt} from ${approvals} where id = ${counting.before})`;
  // A call that is not counted itself was judged with those that were counted when it was proposed.
  const first = own(sql`min(own.position)`);
  return {
    until: sql`coalesce(${own(sql`max(own.at)`)}, ${proposedAt})`,
    upTo: sql`case when ${first} is null then ${proposedAt} end`,
    before: first,
    only: sql`case when ${first} is null then ${countedCalls.at} <= ${proposedAt}
      else ${countedCalls.position} < ${first} end`,
  };
}

/** Days for which sums of hours are kept: longer than the longest window. */
const keptDays = 32;

export async function forgetCountedHours({ db, statementNow: now }: Transaction): Promise<void> {
  await db.delete(countedHours).where(sql`${countedHours.hour} < ${now} - ${keptDays} * interval '1 day'`);
}

/** Counts a call anew whose arguments a person has changed: from now on, and behind all others. */
export function countAnew(request: RequestDraft, approval: Approval, inputJson: string): void {
  const { id: approvalId, tenantId, terms } = approval;
  if (terms.countedIn.length === 0) return;
  const call = { ...approval, input: JSON.parse(inputJson) };
  request.also.turn = tenantId;
  request.also.counted = { approvalId, tenantId, rows: countedAs(terms.countedIn, call) };
}
