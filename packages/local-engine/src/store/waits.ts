import { and, asc, eq, inArray, lte } from "drizzle-orm";
import type { Database } from "./open-database.js";
import { type NewWait, runs, type Wait, waits } from "./schema.js";
import type { Write } from "./writer.js";

/** Registers waits and their deadlines. */
export async function addWaits(write: Write, rows: NewWait[]): Promise<void> {
  if (rows.length === 0) return;
  await write.tx.insert(waits).values(rows);
  for (const row of rows) if (typeof row.expiresAt === "number") write.deadlines.push(row.expiresAt);
}

/** A wait and the event that triggered its run, as JSON text. */
export interface WaitOfRun extends Wait {
  runEvent: string;
}

/** The waits for an event of this name that have not expired, oldest first. */
export async function listWaitsForEvent(db: Database, eventName: string, now: number): Promise<WaitOfRun[]> {
  const rows = await db
    .select({ wait: waits, runEvent: runs.event })
    .from(waits)
    .innerJoin(runs, eq(runs.id, waits.runId))
    .where(eq(waits.eventName, eventName))
    .orderBy(asc(waits.id));
  return rows
    .filter(({ wait }) => wait.expiresAt === null || wait.expiresAt > now)
    .map(({ wait, runEvent }) => ({ ...wait, runEvent }));
}

/** The waits whose time is up, the earliest first. */
export async function listExpiredWaits(db: Database, now: number, limit: number): Promise<Wait[]> {
  return db
    .select()
    .from(waits)
    .where(lte(waits.expiresAt, now))
    .orderBy(asc(waits.expiresAt), asc(waits.id))
    .limit(limit);
}

/** Ends the wait of a step. */
export async function deleteWaitOfStep(tx: Database, runId: string, stepId: string): Promise<void> {
  await tx.delete(waits).where(and(eq(waits.runId, runId), eq(waits.stepId, stepId)));
}

/** Ends waits. */
export async function deleteWaits(tx: Database, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(waits).where(inArray(waits.id, ids));
}
