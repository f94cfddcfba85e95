import { AsyncLocalStorage } from "node:async_hooks";

const attempts = new AsyncLocalStorage<{ stop(): void }>();

/**
 * Runs code of the host inside a step, where no other step can run. If the code needs a step or a run of its own, it stops
 * there for good, as it would where a request ends, and the result is `undefined`. It may then start again outside of the
 * step: code that uses steps is written to be started again.
 */
export function untilStep<T>(work: () => T | Promise<T>): Promise<{ value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const attempt = { stop: () => resolve(undefined) };
    attempts.run(attempt, async () => work()).then((value) => resolve({ value }), reject);
  });
}

/** Stops code that `untilStep` runs: a promise that never settles. `undefined` for all other code. */
export function stopBeforeStep(): Promise<never> | undefined {
  const attempt = attempts.getStore();
  if (!attempt) return undefined;
  attempt.stop();
  return new Promise<never>(() => {});
}
