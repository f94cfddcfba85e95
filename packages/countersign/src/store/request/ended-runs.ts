import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { and, eq, exists, sql } from "drizzle-orm";
import { builtOnce, type ValueOf } from "../built-once.js";
import { inOrder, oneRow, type Session, type Transaction } from "../database.js";
import { allowedResponses, endedRuns } from "../schema.js";

/** Hours after which the record of an ended run is deleted. By then none of its steps can still arrive. */
const keptHours = 24;

/**
 * Records that a run has ended. It waits for proposals of the run that are in progress: the caller then finds their
 * calls, and later proposals find this record through `endOf`.
 */
export async function recordEnd(session: Session, runId: string, cause: WithdrawalCause): Promise<void> {
  const { db, now } = session;
  await waitForProposals(session, runId);
  await db.insert(endedRuns).values({ runId, cause, endedAt: now }).onConflictDoNothing();
}

/** Until the commit, no proposal of the run is in progress. */
export async function waitForProposals({ db }: Session, runId: string): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lockName(runId)}, 0))`);
}

/**
 * How the run of a proposal has ended, if it has, and whether an attempt of the same step was allowed to run its calls.
 * Until the commit, no other transaction can record either.
 */
export async function endOf(
  session: Session,
  { runId, requestId }: { runId: string; requestId: string },
): Promise<{ cause: WithdrawalCause | null; isAllowed: boolean }> {
  // In this order: only a read under the lock includes what was recorded while waiting.
  const [, [found]] = await inOrder(
    () => joinProposals(session, { name: lockName(runId) }),
    () => readingEnd(session, { runId, requestId }),
  );
  return { cause: found?.cause ?? null, isAllowed: found?.isAllowed === true };
}

const joinProposals = builtOnce(({ db }, value: ValueOf<"name">) =>
  db.select({ lock: sql`pg_advisory_xact_lock_shared(hashtextextended(${value("name")}, 0))` }).from(oneRow),
);

const readingEnd = builtOnce(({ db }, value: ValueOf<"runId" | "requestId">) => {
  const end = db
    .select({ cause: endedRuns.cause })
    .from(endedRuns)
    .where(eq(endedRuns.runId, value("runId")));
  const allowed = db
    .select({ one: sql`1` })
    .from(allowedResponses)
    .where(eq(allowedResponses.requestId, value("requestId")));
  return db
    .select({ cause: sql<WithdrawalCause | null>`(${end})`, isAllowed: sql<boolean>`${exists(allowed)}` })
    .from(oneRow);
});

function lockName(runId: string): string {
  return `countersign:run:${runId}`;
}

/** A run that counted as lost proposes a call, so it is alive. Its later proposals are handled as usual. */
export async function recordReturn({ db }: Session, runId: string): Promise<void> {
  await db.delete(endedRuns).where(and(eq(endedRuns.runId, runId), eq(endedRuns.cause, "run_lost")));
}

export async function forgetEndedRuns({ db, statementNow: now }: Transaction): Promise<void> {
  await db.delete(endedRuns).where(sql`${endedRuns.endedAt} < ${now} - ${keptHours} * interval '1 hour'`);
}
