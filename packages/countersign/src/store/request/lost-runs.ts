import { and, eq, exists, gt, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Session, Transaction } from "../database.js";
import { deliveryProblems } from "../delivery/delivery-problems.js";
import type { EngineHealth } from "../ports/engine-port.js";
import type { WakeUp } from "../ports/request-port.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, engineWatch, requests } from "../schema.js";

/** Minutes without an answer, or without a check, after which operators are alerted. */
const silentMinutes = 3;
/** Minutes for which operators are alerted to lost runs. */
const lostMinutes = 15;

/** Requests of runs that wait in the engine: each answers a wake-up by beginning another round. */
const waiting = and(isNull(requests.settledAt), isNotNull(requests.runId), gt(requests.rounds, 0));

/** Of an app's own runs only: several apps may share a database, and one app's canary says nothing about another's. */
const waitingIn = (appId: string) => and(waiting, eq(requests.appId, appId));

const noCanary = { canaryId: "none", checks: 0, answeredAt: null };

/**
 * Records that the app's relay has run. Returns the canary to check now and the number of its checks, or `undefined` if no run waits in the engine. `runs` is false
 * until the app's first canary has answered.
 */
export async function watchEngine(
  session: Transaction,
  appId: string,
): Promise<{ canaryId: string; runs: boolean; checks: number } | undefined> {
  const { db, now } = session;
  const waits = await anythingWaits(session, appId);
  const [row] = await db
    .insert(engineWatch)
    .values({ appId, ...noCanary, startedAt: now, checkedAt: now, relayedAt: now })
    .onConflictDoUpdate({
      target: engineWatch.appId,
      set: { relayedAt: now, ...(waits && { checks: sql`${engineWatch.checks} + 1`, checkedAt: now }) },
    })
    .returning();
  if (!waits || !row) return undefined;
  return { canaryId: row.canaryId, runs: row.answeredAt !== null, checks: row.checks };
}

async function anythingWaits({ db }: Session, appId: string): Promise<boolean> {
  const [found] = await db.select({ id: requests.id }).from(requests).where(waitingIn(appId)).limit(1);
  return found !== undefined;
}

export async function recordAnswer({ db, now }: Session, appId: string, canaryId: string): Promise<void> {
  await db
    .update(engineWatch)
    .set({ answeredAt: now })
    .where(and(eq(engineWatch.appId, appId), eq(engineWatch.canaryId, canaryId)));
}

export async function replaceCanary(
  { db, now }: Session,
  appId: string,
  replaced: string,
  successor: string,
): Promise<void> {
  await db
    .update(engineWatch)
    .set({ canaryId: successor, startedAt: now, checks: 0, answeredAt: now })
    .where(and(eq(engineWatch.appId, appId), eq(engineWatch.canaryId, replaced)));
}

export async function forgetCanaries({ db }: Session): Promise<void> {
  await db.update(engineWatch).set(noCanary);
}

/** When this canary started. Null if another canary has replaced it: then the detection of that one decides. */
function beginningOf(appId: string, canaryId: string): SQL {
  return sql`(select ${engineWatch.startedAt} from ${engineWatch}
    where ${engineWatch.appId} = ${appId} and ${engineWatch.canaryId} = ${canaryId})`;
}

/** Requests older than the answering canary. The engine still has everything that began with or after the canary. */
function isSuspect(appId: string, canaryId: string): SQL | undefined {
  return and(waitingIn(appId), sql`${requests.createdAt} < ${beginningOf(appId, canaryId)}`);
}

/** Wake-ups for the runs that have not answered yet; with `first`, for all that wait. */
export async function probeRuns(
  { db }: Session,
  appId: string,
  canaryId: string,
  { first }: { first: boolean },
): Promise<WakeUp[]> {
  if (first) {
    await db
      .update(requests)
      .set({ probedRound: sql`${requests.rounds}` })
      .where(isSuspect(appId, canaryId));
  }
  return db.select({ requestId: requests.id }).from(requests).where(unanswered(appId, canaryId));
}

function unanswered(appId: string, canaryId: string): SQL | undefined {
  return and(isSuspect(appId, canaryId), eq(requests.probedRound, requests.rounds));
}

/**
 * The runs that have not answered. `all` also includes runs that cannot be probed and have made no progress since: the
 * engine lost them while they proposed, started or ended a call. Use it only if no run at all has answered.
 */
export async function lostRuns(
  { db }: Session,
  appId: string,
  canaryId: string,
  { all }: { all: boolean },
): Promise<string[]> {
  const unaskable = and(
    isNotNull(requests.runId),
    eq(requests.appId, appId),
    exists(
      db
        .select({ id: approvals.id })
        .from(approvals)
        .where(
          and(
            eq(approvals.requestId, requests.id),
            sql`greatest(${approvals.createdAt}, ${approvals.decidedAt}, ${approvals.startedAt}) < ${beginningOf(appId, canaryId)}`,
            or(
              hasStatus("proposed", "approved"),
              and(hasStatus("executing"), eq(approvals.handlerKind, "durable")),
            ),
          ),
        ),
    ),
  );
  const silent = unanswered(appId, canaryId);
  const rows = await db
    .selectDistinct({ runId: requests.runId })
    .from(requests)
    .where(all ? or(silent, unaskable) : silent);
  return rows.flatMap(({ runId }) => (runId === null ? [] : [runId]));
}

export async function recordLost({ db, now }: Session, appId: string, count: number): Promise<void> {
  await db
    .update(engineWatch)
    .set({ lostAt: now, lostRuns: sql`${engineWatch.lostRuns} + ${count}` })
    .where(eq(engineWatch.appId, appId));
}

/** What operators should know about the engine, as far as waiting runs show it. */
export async function engineHealth(session: Session): Promise<EngineHealth> {
  const { db, now } = session;
  const before = (minutes: number) => sql`${now} - ${minutes} * interval '1 minute'`;
  const answered = sql`coalesce(${engineWatch.answeredAt}, ${engineWatch.startedAt}) >= ${before(silentMinutes)}`;
  const [silent] = await db
    .select({ id: requests.id })
    .from(requests)
    .leftJoin(engineWatch, eq(engineWatch.appId, requests.appId))
    .where(and(waiting, lt(requests.createdAt, before(silentMinutes)), sql`${answered} is not true`))
    .limit(1);
  const [lost] = await db
    .select({ appId: engineWatch.appId })
    .from(engineWatch)
    .where(gt(engineWatch.lostAt, before(lostMinutes)))
    .limit(1);
  const problems: EngineHealth["problems"] = [];
  if (silent) problems.push("engine_silent");
  if (lost) problems.push("runs_lost");
  problems.push(...(await deliveryProblems(session)));
  return { problems };
}
