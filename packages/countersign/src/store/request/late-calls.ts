import { type SQL, sql } from "drizzle-orm";
import { externalToolVersion } from "../../approval/external-tool-version.js";
import type { Session } from "../database.js";
import { approvals, requests } from "../schema.js";

/**
 * Hours within which an approved call must start, counted from when its run can continue. Calls with a longer timeout
 * have as long as their timeout.
 */
const claimWindowHours = 24;
const claimWindow = sql`greatest(${claimWindowHours} * interval '1 hour', ${approvals.timeoutMs} * interval '1 millisecond')`;

/** The same of a call in milliseconds. */
export function claimWindowMs({ timeoutMs }: { timeoutMs: number }): number {
  return Math.max(claimWindowHours * 3_600_000, timeoutMs);
}

/** True for a call whose time to start is over. With evidence, `decided_at` is the signed time. */
export function isStale(now: Session["now"]): SQL<boolean> {
  const settledAt = sql`(select ${requests.settledAt} from ${requests} where ${requests.id} = ${approvals.requestId})`;
  // No run waits for the calls of other programs, so their time begins with the decision.
  const since = sql`case when ${approvals.toolVersion} = ${externalToolVersion} then ${approvals.decidedAt} else ${settledAt} end`;
  return sql<boolean>`coalesce(greatest(${since}, ${approvals.decidedAt}) + ${claimWindow} < ${now} and ${since} is not null, false)`;
}

/**
 * The time from which a call that was read {@link isStale}; `undefined` if its time has not begun.
 *
 * @param settledAt When its run found that no call of the request was open.
 */
export function lateFrom(
  { toolVersion, decidedAt, timeoutMs }: Pick<Row, "toolVersion" | "decidedAt" | "timeoutMs">,
  settledAt: Date | null,
): Date | undefined {
  const since = toolVersion === externalToolVersion ? decidedAt : settledAt;
  if (!since) return undefined;
  return new Date(Math.max(since.getTime(), decidedAt?.getTime() ?? 0) + claimWindowMs({ timeoutMs }));
}

type Row = typeof approvals.$inferSelect;

/** True for a proposed call that its run had as long to announce as a run has to start an approved one. */
export function isForgotten(now: Session["now"]): SQL<boolean> {
  return sql<boolean>`${approvals.status} = 'proposed' and ${approvals.createdAt} + ${claimWindow} < ${now}`;
}
