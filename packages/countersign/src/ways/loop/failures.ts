import { currentExecution } from "../../call/run/inngest-context.js";

/** What went wrong at a gate in each execution. */
const failures = new WeakMap<object, unknown>();

/**
 * Remembers an error that is not a call's result: a developer's mistake, or a database that does not answer. The AI SDK
 * makes a tool result of whatever `execute` throws, so the run would go on without the gate's answer.
 */
export function noteFailure(error: unknown): void {
  const execution = currentExecution()?.instance;
  if (execution && !failures.has(execution)) failures.set(execution, error);
}

/** Throws what was remembered for this execution: when the model is asked again, and when the turn ends. */
export function throwNotedFailure(): void {
  const execution = currentExecution()?.instance;
  if (execution && failures.has(execution)) throw failures.get(execution);
}
