import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { Session } from "./database.js";
import { threadEntries, threads } from "./schema.js";
import type { Store, Thread, ThreadEntry } from "./store.js";

export async function openThread(
  { db, now }: Session,
  thread: Parameters<Store["openThread"]>[0],
): Promise<Thread | undefined> {
  const [row] = await db
    .insert(threads)
    .values({ ...thread, status: "running", createdAt: now, updatedAt: now })
    .onConflictDoUpdate({
      target: [threads.tenantId, threads.id],
      set: {
        status: "running",
        updatedAt: now,
        runId: sql`coalesce(${thread.runId}::text, ${threads.runId})`,
      },
      // A thread belongs to who started it; a run that does not say for whom it works may go on with any.
      setWhere: sql`${thread.ownerId}::text is null or ${threads.ownerId} = ${thread.ownerId}::text`,
    })
    .returning();
  return row;
}

export async function endThread(
  { db, now }: Session,
  tenantId: string,
  threadId: string,
  runId: string | null,
): Promise<void> {
  await db
    .update(threads)
    .set({ status: "done", updatedAt: now })
    .where(
      and(
        eq(threads.tenantId, tenantId),
        eq(threads.id, threadId),
        runId === null ? undefined : eq(threads.runId, runId),
      ),
    );
}

export async function getThread(
  { db }: Session,
  tenantId: string,
  threadId: string,
): Promise<Thread | undefined> {
  const [row] = await db
    .select()
    .from(threads)
    .where(and(eq(threads.tenantId, tenantId), eq(threads.id, threadId)));
  return row;
}

export async function listThreads(
  { db }: Session,
  filter: { tenantId: string; ownerId: string; limit: number },
): Promise<Thread[]> {
  return db
    .select()
    .from(threads)
    .where(and(eq(threads.tenantId, filter.tenantId), eq(threads.ownerId, filter.ownerId)))
    .orderBy(desc(threads.updatedAt))
    .limit(filter.limit);
}

export async function appendEntries(
  { db, now }: Session,
  tenantId: string,
  threadId: string,
  entries: Parameters<Store["appendEntries"]>[2],
): Promise<void> {
  for (const entry of entries) {
    await db
      .insert(threadEntries)
      .values({ ...entry, tenantId, threadId, createdAt: now })
      .onConflictDoNothing();
  }
}

export async function readEntries(
  { db }: Session,
  tenantId: string,
  threadId: string,
  beforeKey?: string,
): Promise<ThreadEntry[]> {
  const inThread = and(eq(threadEntries.tenantId, tenantId), eq(threadEntries.threadId, threadId));
  const [bound] = beforeKey
    ? await db
        .select({ seq: threadEntries.seq })
        .from(threadEntries)
        .where(and(inThread, eq(threadEntries.key, beforeKey)))
    : [];
  return db
    .select()
    .from(threadEntries)
    .where(and(inThread, bound ? lt(threadEntries.seq, bound.seq) : undefined))
    .orderBy(asc(threadEntries.seq));
}
