import { eq, or } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { events } from "./schema.js";

export type EventRow = typeof events.$inferInsert;

/** Keeps received events. Returns the ids of those that were not there already. */
export async function addEvents(tx: Database, rows: EventRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const added = await tx.insert(events).values(rows).onConflictDoNothing().returning({ id: events.id });
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
