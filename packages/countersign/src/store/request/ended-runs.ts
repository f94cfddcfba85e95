import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { and, eq, sql } from "drizzle-orm";
import type { Session, Transaction } from "../database.js";
import { endedRuns } from "../schema.js";

/** Hours after which the record of an ended run is deleted. By then none of its steps can still arrive. */
const keptHours = 24;

/**
 * Records that a run has ended. It waits for proposals of the run that are in progress: the caller then finds their
 * calls, and later proposals find this record: see `proposal_facts`.
 */
export async function recordEnd({ db, now }: Session, runId: string, cause: WithdrawalCause): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`countersign:run:${runId}`}, 0))`);
  await db
    .insert(endedRuns)
    .values({ runId, cause, endedAt: now })
    .onConflictDoUpdate({
      target: endedRuns.runId,
      set: { cause, endedAt: now },
      // It was alive after all, and has ended now.
      setWhere: sql`${endedRuns.cause} = 'run_lost' and excluded.cause <> 'run_lost'`,
    });
}

/** A run that counted as lost proposes a call, so it is alive. Its later proposals are handled as usual. */
export async function recordReturn({ db }: Session, runId: string): Promise<void> {
  await db.delete(endedRuns).where(and(eq(endedRuns.runId, runId), eq(endedRuns.cause, "run_lost")));
}

export async function forgetEndedRuns({ db, statementNow: now }: Transaction): Promise<void> {
  await db.delete(endedRuns).where(sql`${endedRuns.endedAt} < ${now} - ${keptHours} * interval '1 hour'`);
}
