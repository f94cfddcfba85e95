import { and, eq, inArray } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { queueItems, type Run, runs, steps, waits } from "./schema.js";

/** A run, or undefined. */
export async function findRun(db: Database, id: string): Promise<Run | undefined> {
  const [row] = await db.select().from(runs).where(eq(runs.id, id));
  return row;
}

/** The events that triggered these runs, as JSON text, by run. */
export async function listTriggers(db: Database, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.select({ id: runs.id, event: runs.event }).from(runs).where(inArray(runs.id, ids));
  return new Map(rows.map(({ id, event }) => [id, event]));
}

/** The runs that an event started, oldest first. */
export async function listRunsOfEvent(db: Database, eventId: string): Promise<Run[]> {
  return db.select().from(runs).where(eq(runs.eventId, eventId)).orderBy(runs.id);
}

/**
 * Ends a running run: stores its output, and deletes its waits and queue items. Returns undefined if the run had
 * already ended.
 */
export async function endRun(
  tx: Database,
  id: string,
  end: { status: "Completed" | "Failed" | "Cancelled"; output: string | null; endedAt: number },
): Promise<Run | undefined> {
  const [[run]] = await Promise.all([
    tx
      .update(runs)
      .set(end)
      .where(and(eq(runs.id, id), eq(runs.status, "Running")))
      .returning(),
    tx.delete(waits).where(eq(waits.runId, id)),
    tx.delete(queueItems).where(eq(queueItems.runId, id)),
    tx.delete(steps).where(and(eq(steps.runId, id), eq(steps.status, "pending"))),
  ]);
  return run;
}
