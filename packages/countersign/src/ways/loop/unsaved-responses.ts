import { currentExecution } from "../../call/run/inngest-context.js";

/** What is to be saved in each execution, oldest first. */
const unsaved = new WeakMap<object, (() => Promise<void>)[]>();

/** Saves a response at the end of the turn, if not all of its calls have ended before. */
export function saveLater(save: () => Promise<void>): void {
  const execution = currentExecution()?.instance;
  if (execution) unsaved.set(execution, [...(unsaved.get(execution) ?? []), save]);
}

/** Saves what has not been saved. */
export async function saveResponses(): Promise<void> {
  const execution = currentExecution()?.instance;
  const waiting = (execution && unsaved.get(execution)) ?? [];
  if (execution) unsaved.delete(execution);
  for (const save of waiting) await save();
}
