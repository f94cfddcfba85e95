import { and, asc, eq, gt, lte, min } from "drizzle-orm";
import { newJobId } from "../protocol/identifiers.js";
import type { Database } from "./connection/open-database.js";
import { type QueueItem, queueItems, waits } from "./schema.js";
import type { Write } from "./writer.js";

/** The step id of a request that asks a function what comes next. */
export const DISCOVERY = "step";

/** Adds requests that are due now. */
export async function enqueue(write: Write, runId: string, stepIds: string[]): Promise<void> {
  if (stepIds.length === 0) return;
  const items = stepIds.map(
    (stepId): QueueItem => ({
      id: newJobId(),
      runId,
      stepId,
      attempt: 0,
      generation: 1,
      dueAt: write.now,
    }),
  );
  await write.tx.insert(queueItems).values(items);
  write.enqueued.push(...items);
}

/** Puts an item back for another attempt. */
export async function retryItem(write: Write, item: QueueItem, dueAt: number): Promise<void> {
  const next = { attempt: item.attempt + 1, generation: item.generation + 1, dueAt };
  await write.tx.update(queueItems).set(next).where(eq(queueItems.id, item.id));
  if (dueAt <= write.now) write.enqueued.push({ ...item, ...next });
  else write.deadlines.push(dueAt);
}

/** Removes an item that has been carried out. */
export async function completeItem(tx: Database, item: QueueItem): Promise<void> {
  await tx.delete(queueItems).where(eq(queueItems.id, item.id));
}

/** Whether this attempt at an item has not been made yet. */
export async function isStillQueued(db: Database, item: QueueItem): Promise<boolean> {
  const isSame = and(eq(queueItems.id, item.id), eq(queueItems.generation, item.generation));
  return (await db.$count(queueItems, isSame)) > 0;
}

/** The items that are due, oldest first. */
export async function listDueItems(db: Database, now: number, limit: number): Promise<QueueItem[]> {
  return db
    .select()
    .from(queueItems)
    .where(lte(queueItems.dueAt, now))
    .orderBy(asc(queueItems.dueAt), asc(queueItems.id))
    .limit(limit);
}

/** The next moment at which an item or a wait becomes due, or undefined if there is none. */
export async function findNextDeadline(db: Database, after: number): Promise<number | undefined> {
  const [[wait], [item]] = await Promise.all([
    db.select({ at: min(waits.expiresAt) }).from(waits),
    db
      .select({ at: min(queueItems.dueAt) })
      .from(queueItems)
      .where(gt(queueItems.dueAt, after)),
  ]);
  const times = [wait?.at, item?.at].filter((at) => at !== null && at !== undefined).map(Number);
  return times.length > 0 ? Math.min(...times) : undefined;
}
