import { eq, sql } from "drizzle-orm";
import type { WithdrawalCause } from "../approval/approval.js";
import { type Session, together } from "./database.js";
import { endedRuns } from "./schema.js";

/** Hours after which an ended run is forgotten; no step that was on its way is still to come by then. */
const keptHours = 24;

/**
 * Writes down that a run has ended, after every proposal of its that is being written: the caller then finds those that
 * are there, and `endOf` finds this for those that are not.
 */
export async function noteEnd({ db, now }: Session, runId: string, cause: WithdrawalCause): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(${lockOf(runId)})`);
  await db.insert(endedRuns).values({ runId, cause, endedAt: now }).onConflictDoNothing();
}

/** How a run has ended, if it has; until the commit it does not end for anybody else. */
export async function endOf({ db }: Session, runId: string): Promise<WithdrawalCause | undefined> {
  const [, [end]] = await together([
    db.execute(sql`select pg_advisory_xact_lock_shared(${lockOf(runId)})`),
    db.select({ cause: endedRuns.cause }).from(endedRuns).where(eq(endedRuns.runId, runId)),
  ]);
  return end?.cause;
}

function lockOf(runId: string) {
  return sql`hashtextextended(${`countersign:run:${runId}`}, 0)`;
}

export async function forgetEndedRuns({ db, now }: Session): Promise<void> {
  await db.delete(endedRuns).where(sql`${endedRuns.endedAt} < ${now} - ${keptHours} * interval '1 hour'`);
}
