import { and, asc, eq, gt, inArray, isNull, lte, or } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { type NewWait, type Wait, waits } from "./schema.js";
import type { Write } from "./writer.js";

/** Registers waits and their deadlines. */
export async function addWaits(write: Write, rows: NewWait[]): Promise<void> {
  if (rows.length === 0) return;
  await write.tx.insert(waits).values(rows);
  for (const row of rows) if (typeof row.expiresAt === "number") write.deadlines.push(row.expiresAt);
}

/**
 * The waits that an event of this name may end, oldest first: those that have not expired and that demand no text or
 * one of the event's texts. Without texts, all of them. The caller must still evaluate their expressions.
 */
export async function listWaitsForEvent(
  db: Database,
  event: { name: string; texts: string[] | undefined },
  now: number,
): Promise<Wait[]> {
  const ofName = eq(waits.eventName, event.name);
  const isOpen = or(isNull(waits.expiresAt), gt(waits.expiresAt, now));
  const isMet =
    event.texts && or(and(ofName, isNull(waits.demands)), and(ofName, inArray(waits.demands, event.texts)));
  return db
    .select()
    .from(waits)
    .where(and(ofName, isMet, isOpen))
    .orderBy(asc(waits.id));
}

/** The expired waits, earliest first. */
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
