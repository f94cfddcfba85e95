import { type RunState, type StoredStep, storedStep } from "./run-state.js";
import type { NewStep } from "./schema.js";
import type { Write } from "./write.js";

/** The memoized steps of a run, in the order of their completion. */
export function memoizedSteps({ steps }: RunState): StoredStep[] {
  return [...steps.values()]
    .filter(({ status }) => status === "done")
    .sort((one, other) => (one.position ?? 0) - (other.position ?? 0));
}

export function pendingSteps({ steps }: RunState): StoredStep[] {
  return [...steps.values()].filter(({ status }) => status === "pending");
}

/** The position of the step that completes next. */
export function nextPosition({ steps }: RunState): number {
  let next = 0;
  for (const { position } of steps.values()) next = Math.max(next, (position ?? -1) + 1);
  return next;
}

/** Adds steps or completes pending ones. Memoized steps are not changed. */
export function saveSteps(write: Write, state: RunState, rows: NewStep[]): void {
  for (const row of rows) {
    const known = state.steps.get(row.id);
    if (known?.status === "done") continue;
    const { id, status, owner = null, position = null, state: result = null } = row;
    putStep(write, state, {
      id,
      status,
      owner,
      position,
      state: result,
      mode: known?.mode ?? row.mode ?? null,
    });
  }
}

/** Memoizes a pending step. Returns undefined if it is no longer pending. */
export function completeStep(
  write: Write,
  state: RunState,
  stepId: string,
  result: string,
): { mode: string | null } | undefined {
  const step = state.steps.get(stepId);
  if (step?.status !== "pending") return undefined;
  putStep(write, state, {
    id: stepId,
    status: "done",
    mode: step.mode,
    owner: null,
    position: nextPosition(state),
    state: result,
  });
  return { mode: step.mode };
}

function putStep({ changes }: Write, { run, steps }: RunState, step: Omit<StoredStep, "bytes">): void {
  const stored = storedStep(step);
  steps.set(step.id, stored);
  const { bytes: _, ...row } = stored;
  changes.steps.set(`${run.id} ${step.id}`, { runId: run.id, ...row });
}
