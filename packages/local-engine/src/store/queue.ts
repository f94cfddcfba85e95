import { asc, gt, lte, min } from "drizzle-orm";
import { newJobId } from "../protocol/identifiers.js";
import type { Database } from "./connection/open-database.js";
import type { RunState } from "./run-state.js";
import { type QueueItem, queueItems, waits } from "./schema.js";
import type { Write } from "./write.js";

/** The step id of a request that asks a function what comes next. */
export const DISCOVERY = "step";

/** Adds requests that are due now, or later. */
export function enqueue(write: Write, state: RunState, stepIds: string[], dueAt = write.now): void {
  for (const stepId of stepIds) {
    const item: QueueItem = {
      id: newJobId(),
      runId: state.run.id,
      stepId,
      attempt: 0,
      generation: 1,
      dueAt,
    };
    putItem(write, state, item);
    if (dueAt > write.now) write.deadlines.push(dueAt);
    else write.enqueued.push(item);
  }
}

/** Puts an item back for another attempt. */
export function retryItem(write: Write, state: RunState, item: QueueItem, dueAt: number): void {
  const next = { ...item, attempt: item.attempt + 1, generation: item.generation + 1, dueAt };
  putItem(write, state, next);
  // Even if it is due: the attempt that has just failed still counts as in progress.
  write.deadlines.push(dueAt);
}

function putItem({ changes }: Write, { items }: RunState, item: QueueItem): void {
  items.set(item.id, item);
  changes.items.set(item.id, item);
}

/** Removes an item that has been carried out. */
export function completeItem({ changes }: Write, { items }: RunState, id: string): void {
  items.delete(id);
  changes.items.delete(id);
  changes.deletedItems.add(id);
}

/** Whether this attempt at an item has not been made yet. */
export function isStillQueued({ items }: RunState, item: QueueItem): boolean {
  return items.get(item.id)?.generation === item.generation;
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
