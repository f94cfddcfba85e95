import type { Parameters } from "fast-check";

/**
 * The number of runs of a property, and its seed. `FC_NUM_RUNS` and `FC_SEED` override them, to run many more by hand or
 * to repeat a failure. A slow machine stops earlier, also while it shrinks a failure.
 */
export function runs<T>(numRuns: number, withinMs = 60_000): Parameters<T> {
  const { FC_NUM_RUNS, FC_SEED } = process.env;
  return {
    // Small numbers are no likelier to fail here, and would select the same calls again and again.
    unbiased: true,
    ...(FC_NUM_RUNS ? { numRuns: Number(FC_NUM_RUNS) } : { numRuns, interruptAfterTimeLimit: withinMs }),
    ...(FC_SEED ? { seed: Number(FC_SEED) } : {}),
  };
}
