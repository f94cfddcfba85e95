import { and, eq, sql } from "drizzle-orm";
import type { WithdrawalCause } from "../../display/withdrawal-text.js";
import { inOrder, type Session } from "../database.js";
import { endedRuns } from "../schema.js";

/** Hours after which the record of an ended run is deleted. By then none of its steps can still arrive. */
const keptHours = 24;

/**
 * Records that a run has ended. It waits for proposals of the run that are in progress: the caller then finds their
 * calls, and later proposals find this record through `endOf`.
 */
export async function recordEnd({ db, now }: Session, runId: string, cause: WithdrawalCause): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(${lockOf(runId)})`);
  await db.insert(endedRuns).values({ runId, cause, endedAt: now }).onConflictDoNothing();
}

/** How a run has ended, if it has. Until the commit, no other transaction can record its end. */
export async function endOf({ db }: Session, runId: string): Promise<WithdrawalCause | undefined> {
  // In this order: only a read under the lock includes an end that was recorded while waiting.
  const [, [end]] = await inOrder(
    () => db.execute(sql`select pg_advisory_xact_lock_shared(${lockOf(runId)})`),
    () => db.select({ cause: endedRuns.cause }).from(endedRuns).where(eq(endedRuns.runId, runId)),
  );
  return end?.cause;
}

function lockOf(runId: string) {
  return sql`hashtextextended(${`countersign:run:${runId}`}, 0)`;
}

/** A run that counted as lost proposes a call, so it is alive. Its later proposals are handled as usual. */
export async function recordReturn({ db }: Session, runId: string): Promise<void> {
  await db.delete(endedRuns).where(and(eq(endedRuns.runId, runId), eq(endedRuns.cause, "run_lost")));
}

export async function forgetEndedRuns({ db, now }: Session): Promise<void> {
  await db.delete(endedRuns).where(sql`${endedRuns.endedAt} < ${now} - ${keptHours} * interval '1 hour'`);
}
