import { eq, inArray } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { type Run, runs } from "./schema.js";
import type { Write } from "./write.js";

/** A run, or undefined. */
export async function findRun(db: Database, id: string): Promise<Run | undefined> {
  const [row] = await db.select().from(runs).where(eq(runs.id, id));
  return row;
}

/** The events that triggered these runs, as JSON text, by run. */
export async function listTriggers(write: Write, ids: string[]): Promise<Map<string, string>> {
  const started = [...write.changes.startedRuns.values()].filter(({ id }) => ids.includes(id));
  const stored =
    ids.length === 0
      ? []
      : await write.db.select({ id: runs.id, event: runs.event }).from(runs).where(inArray(runs.id, ids));
  return new Map([...stored, ...started].map(({ id, event }) => [id, event]));
}

/** The runs that an event started, oldest first. */
export async function listRunsOfEvent(db: Database, eventId: string): Promise<Run[]> {
  return db.select().from(runs).where(eq(runs.eventId, eventId)).orderBy(runs.id);
}

/**
 * Ends a running run: stores its output, and deletes its steps, waits and queue items, which nothing reads any more.
 * Returns undefined if the run had already ended.
 */
export async function endRun(
  write: Write,
  id: string,
  end: { status: "Completed" | "Failed" | "Cancelled"; output: string | null; endedAt: number },
): Promise<Run | undefined> {
  const state = await write.runOf(id);
  if (state?.run.status !== "Running") return undefined;
  write.changeRun(state, end);
  state.items.clear();
  state.steps.clear();
  const { changes } = write;
  for (const rows of [changes.steps, changes.waits, changes.items]) {
    for (const [key, { runId }] of rows) if (runId === id) rows.delete(key);
  }
  changes.endedRuns.add(id);
  return state.run;
}
