import { and, inArray, isNotNull, lt, notExists, sql } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { events, runs } from "./schema.js";

/** Rows deleted per transaction. Kept small because runs wait for it: there is one writer at a time. */
const BATCH_SIZE = 200;

/**
 * Deletes some runs that ended before a time, and some events received before it whose runs are all
 * deleted. Returns true if there may be more.
 */
export async function deleteEnded(tx: Database, before: number): Promise<boolean> {
  const ended = await tx
    .select({ id: runs.id })
    .from(runs)
    .where(and(isNotNull(runs.endedAt), lt(runs.endedAt, before)))
    .limit(BATCH_SIZE);
  const ids = ended.map(({ id }) => id);
  if (ids.length > 0) await tx.delete(runs).where(inArray(runs.id, ids));
  const started = tx.select({ one: sql`1` }).from(runs).where(sql`${runs.eventId} = ${events.id}`);
  const old = await tx
    .select({ id: events.id })
    .from(events)
    .where(and(lt(events.receivedAt, before), notExists(started)))
    .limit(BATCH_SIZE);
  if (old.length > 0) {
    await tx.delete(events).where(
      inArray(
        events.id,
        old.map(({ id }) => id),
      ),
    );
  }
  return ids.length === BATCH_SIZE || old.length === BATCH_SIZE;
}
