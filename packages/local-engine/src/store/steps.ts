import { and, asc, eq, sql } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { type NewStep, steps } from "./schema.js";

/** A step without its result. */
export interface StepStatus {
  id: string;
  status: "pending" | "done";
  owner: string | null;
  position: number | null;
  /** The size of its result as JSON. */
  bytes: number;
}

/** The steps of a run, pending or done, without their data. */
export async function listStepStatuses(db: Database, runId: string): Promise<StepStatus[]> {
  return db
    .select({
      id: steps.id,
      status: steps.status,
      owner: steps.owner,
      position: steps.position,
      bytes: sql<number>`coalesce(octet_length(${steps.state}), 0)`,
    })
    .from(steps)
    .where(eq(steps.runId, runId));
}

/** The memoized steps of a run, in the order of their completion, with their state as JSON text. */
export async function listMemoizedSteps(
  db: Database,
  runId: string,
): Promise<Array<{ id: string; state: string | null }>> {
  return db
    .select({ id: steps.id, state: steps.state })
    .from(steps)
    .where(and(eq(steps.runId, runId), eq(steps.status, "done")))
    .orderBy(asc(steps.position));
}

/** Adds steps or completes pending ones. Memoized steps are not changed. */
export async function saveSteps(tx: Database, rows: NewStep[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insert(steps)
    .values(rows)
    .onConflictDoUpdate({
      target: [steps.runId, steps.id],
      set: {
        status: sql`excluded.status`,
        owner: sql`excluded.owner`,
        position: sql`excluded.position`,
        state: sql`excluded.state`,
      },
      setWhere: eq(steps.status, "pending"),
    });
}

/** Memoizes a pending step. Returns undefined if it is no longer pending. */
export async function completeStep(
  tx: Database,
  runId: string,
  stepId: string,
  state: string,
): Promise<{ mode: string | null } | undefined> {
  const [row] = await tx
    .update(steps)
    .set({
      status: "done",
      owner: null,
      state,
      position: sql`(select coalesce(max(s.position), -1) + 1 from ${steps} s where s.run_id = ${runId})`,
    })
    .where(and(eq(steps.runId, runId), eq(steps.id, stepId), eq(steps.status, "pending")))
    .returning({ mode: steps.mode });
  return row;
}

/** Counts the pending steps of a run. */
export async function countPendingSteps(tx: Database, runId: string): Promise<number> {
  return tx.$count(steps, and(eq(steps.runId, runId), eq(steps.status, "pending")));
}
