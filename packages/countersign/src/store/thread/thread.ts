import { and, asc, desc, eq, getTableColumns, inArray, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { noticeOfThread } from "../connection/change-feed.js";
import type { Session } from "../database.js";
import type { DescribedThread, Thread, ThreadPageFilter } from "../ports/thread-port.js";
import { hasId } from "../rows/has-id.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, threadEntries, threads } from "../schema.js";
import type { Store } from "../store.js";

/** Minutes after which no run is about to begin any more in a thread that was opened for one. */
const openedMinutes = 10;

/**
 * The thread's status now. A thread is opened for a run that is about to begin a turn, which may never happen: its event is
 * lost, it fails before, or it uses a gate in the thread without beginning a turn. Nothing would end such a thread.
 */
function statusNow(now: SQL<Date>): SQL<Thread["status"]> {
  return sql<Thread["status"]>`case when ${threads.status} = 'running' and ${threads.runId} is null
    and ${threads.updatedAt} < ${now} - ${openedMinutes} * interval '1 minute' then 'done' else ${threads.status} end`;
}

const columns = (now: SQL<Date>) => ({ ...getTableColumns(threads), status: statusNow(now) });

export async function openThread(
  session: Session,
  thread: Parameters<Store["openThread"]>[0],
): Promise<Thread | undefined> {
  const { db, now } = session;
  // Usually the thread exists: a run opens it again on every replay, which must not write anything.
  let found = await getThread(session, thread.tenantId, thread.id);
  if (!found) {
    const [created] = await db
      .insert(threads)
      .values({ ...thread, status: "running", createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning();
    found = created ?? (await getThread(session, thread.tenantId, thread.id));
  }
  // A thread belongs to the person who started it. A run without a requester may continue any thread.
  const mayContinue = thread.ownerId === null || found?.ownerId === thread.ownerId;
  if (!found || !mayContinue) return undefined;
  // A run takes the thread over with its first entry.
  if (thread.runId !== null || found.status === "running") return found;
  return (await markRunning(session, thread.tenantId, thread.id, null)) ?? found;
}

/** The thread of a run that has just written into it, or that is about to begin, of which nobody knows the id yet. */
export async function markRunning(
  { db, now }: Session,
  tenantId: string,
  threadId: string,
  runId: string | null,
): Promise<Thread | undefined> {
  const takenOver = runId === null ? undefined : sql`${threads.runId} is distinct from ${runId}`;
  const [row] = await db
    .update(threads)
    .set({ status: "running", updatedAt: now, runId })
    .where(
      and(
        eq(threads.tenantId, tenantId),
        eq(threads.id, threadId),
        or(ne(statusNow(now), "running"), takenOver),
      ),
    )
    .returning();
  return row;
}

export async function endThread(
  { db, now }: Session,
  tenantId: string,
  threadId: string,
  runId: string | null,
  status: "done" | "failed" = "done",
): Promise<void> {
  await db
    .update(threads)
    .set({ status, updatedAt: now })
    .where(
      and(
        eq(threads.tenantId, tenantId),
        eq(threads.id, threadId),
        eq(threads.status, "running"),
        runId === null ? isNull(threads.runId) : eq(threads.runId, runId),
      ),
    )
    .returning({ notice: noticeOfThread(tenantId, threadId) });
}

export async function getThread(
  { db, now }: Session,
  tenantId: string,
  threadId: string,
): Promise<Thread | undefined> {
  const [row] = await db
    .select(columns(now))
    .from(threads)
    .where(and(eq(threads.tenantId, tenantId), hasId(threads.id, threadId)));
  return row;
}

export async function listThreads(
  { db, now }: Session,
  filter: { tenantId: string; ownerId: string; limit: number },
): Promise<Thread[]> {
  return db
    .select(columns(now))
    .from(threads)
    .where(and(eq(threads.tenantId, filter.tenantId), eq(threads.ownerId, filter.ownerId)))
    .orderBy(desc(threads.updatedAt))
    .limit(filter.limit);
}

/** Length of the part of a first message that names its thread. */
const namingLength = 600;

/** A page of a person's threads, the latest first. */
export async function pageOfThreads(
  { db, now }: Session,
  { tenantId, ownerId, limit, offset }: ThreadPageFilter,
): Promise<{ threads: DescribedThread[]; total: number }> {
  const own = and(eq(threads.tenantId, tenantId), eq(threads.ownerId, ownerId));
  const ofThread = and(eq(threadEntries.tenantId, threads.tenantId), eq(threadEntries.threadId, threads.id));
  const firstMessage = db
    .select({ body: sql`left(${threadEntries.bodyJson}, ${namingLength})` })
    .from(threadEntries)
    .where(and(ofThread, eq(threadEntries.kind, "user")))
    .orderBy(asc(threadEntries.seq))
    .limit(1);
  const entries = db.select({ count: sql`count(*)` }).from(threadEntries).where(ofThread);
  const rows = await db
    .select({
      thread: columns(now),
      firstMessageJson: sql<string | null>`(${firstMessage})`,
      entries: sql<number>`(${entries})`.mapWith(Number),
    })
    .from(threads)
    .where(own)
    .orderBy(desc(threads.updatedAt), desc(threads.id))
    .limit(limit)
    .offset(offset);
  return {
    threads: rows.map(({ thread, ...described }) => ({ ...thread, ...described })),
    total: await db.$count(threads, own),
  };
}

/** Which of these threads have a pending call. */
export async function waitingThreads(
  { db, now }: Session,
  tenantId: string,
  threadIds: readonly string[],
): Promise<Set<string>> {
  if (threadIds.length === 0) return new Set();
  const rows = await db
    .selectDistinct({ threadId: approvals.threadId })
    .from(approvals)
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        inArray(approvals.threadId, [...threadIds]),
        hasStatus("proposed", "pending"),
        // An expired call is not pending, even before its run has recorded the expiry.
        sql`coalesce(${approvals.expiresAt} > ${now}, true)`,
      ),
    );
  return new Set(rows.flatMap(({ threadId }) => threadId ?? []));
}

export async function notify({ db }: Session, tenantId: string, threadId: string): Promise<void> {
  await db.execute(sql`select ${noticeOfThread(tenantId, threadId)}`);
}
