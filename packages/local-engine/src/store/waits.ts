import { and, asc, eq, gt, inArray, isNull, lte, or } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { type NewWait, type Wait, waits } from "./schema.js";
import type { Write } from "./write.js";

/** Registers waits and their deadlines. */
export async function addWaits(write: Write, rows: NewWait[]): Promise<void> {
  for (const row of rows) {
    write.changes.waits.set(row.id, row);
    if (row.eventName) await write.awaited.add(row.eventName);
    if (typeof row.expiresAt === "number") write.deadlines.push(row.expiresAt);
  }
}

/**
 * The waits that an event of this name may end, oldest first: those that have not expired and that demand no text or
 * one of the event's texts. Without texts, all of them. The caller must still evaluate their expressions.
 */
export async function listWaitsForEvent(
  write: Write,
  event: { name: string; texts: string[] | undefined },
): Promise<Wait[]> {
  if (!(await write.awaited.has(event.name))) return [];
  const ofName = eq(waits.eventName, event.name);
  const isOpen = or(isNull(waits.expiresAt), gt(waits.expiresAt, write.now));
  const isMet =
    event.texts && or(and(ofName, isNull(waits.demands)), and(ofName, inArray(waits.demands, event.texts)));
  const stored = await write.db
    .select()
    .from(waits)
    .where(and(ofName, isMet, isOpen))
    .orderBy(asc(waits.id));
  const { changes } = write;
  const added = [...changes.waits.values()]
    .map(filled)
    .filter(
      ({ eventName, demands, expiresAt }) =>
        eventName === event.name &&
        (demands === null || event.texts === undefined || event.texts.includes(demands)) &&
        (expiresAt === null || expiresAt > write.now),
    );
  // Ids are in the order in which waits were registered.
  return [...stored.filter((wait) => !isDeleted(write, wait)), ...added];
}

function filled({ stepId, eventName, expression, demands, expiresAt, ...wait }: NewWait): Wait {
  return {
    ...wait,
    stepId: stepId ?? null,
    eventName: eventName ?? null,
    expression: expression ?? null,
    demands: demands ?? null,
    expiresAt: expiresAt ?? null,
  };
}

/** Whether this write has ended a stored wait. */
function isDeleted({ changes }: Write, { id, runId, stepId }: Wait): boolean {
  return (
    changes.deletedWaits.has(id) ||
    changes.endedRuns.has(runId) ||
    changes.deletedWaitsOfSteps.has(`${runId} ${stepId}`)
  );
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
export function deleteWaitOfStep({ changes }: Write, runId: string, stepId: string): void {
  for (const wait of changes.waits.values()) {
    if (wait.runId === runId && wait.stepId === stepId) changes.waits.delete(wait.id);
  }
  changes.deletedWaitsOfSteps.set(`${runId} ${stepId}`, { runId, stepId });
}

/** Ends waits. */
export function deleteWaits({ changes }: Write, ids: string[]): void {
  for (const id of ids) {
    changes.waits.delete(id);
    changes.deletedWaits.add(id);
  }
}
