import { currentExecution } from "../agent-hook/run/inngest-context.js";

/** What is to be saved in each execution, oldest first. */
const unsaved = new WeakMap<object, (() => Promise<void>)[]>();

/** Saves a response later, once all its calls have ended: a framework runs them, and does not say which is the last. */
export function saveLater(save: () => Promise<void>): void {
  const execution = currentExecution()?.instance;
  if (execution) unsaved.set(execution, [...(unsaved.get(execution) ?? []), save]);
}

/** Saves what waits for it, because the model is asked again or the turn ends. */
export async function saveResponses(): Promise<void> {
  const execution = currentExecution()?.instance;
  const waiting = (execution && unsaved.get(execution)) ?? [];
  if (execution) unsaved.delete(execution);
  for (const save of waiting) await save();
}
