import { eq, inArray, or } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { type EventRow, events } from "./schema.js";
import type { Write } from "./write.js";

/**
 * Keeps received events. Returns the ids of those that were not there already. That an event was received before is
 * rare: only a write that is repeated reads it, and the first attempt fails.
 */
export async function addEvents(write: Write, rows: EventRow[]): Promise<Set<string>> {
  const { changes, db } = write;
  const ids = rows.map(({ id }) => id);
  const received =
    write.isRepeated && ids.length > 0
      ? await db.select({ id: events.id }).from(events).where(inArray(events.id, ids))
      : [];
  const known = new Set(received.map(({ id }) => id));
  const added = rows.filter(({ id }) => !known.has(id) && !changes.events.has(id));
  for (const row of added) changes.events.set(row.id, row);
  return new Set(added.map(({ id }) => id));
}

/** The engine's ids of the events with this id, which may be the engine's or the sender's. */
export async function findEventIds(db: Database, id: string): Promise<string[]> {
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(or(eq(events.id, id), eq(events.eventId, id)));
  return rows.map((row) => row.id);
}
