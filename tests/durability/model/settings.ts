import type { Parameters } from "fast-check";

/**
 * How often a property is tried, and from which seed: `FC_NUM_RUNS` and `FC_SEED` where they are set, so that many
 * more can be run by hand and a failure can be run again. A slow machine stops earlier, also in making a failure small.
 */
export function runs<T>(numRuns: number): Parameters<T> {
  const { FC_NUM_RUNS, FC_SEED } = process.env;
  return {
    // Small numbers are no likelier to be wrong here than others, and would choose the same calls over and over.
    unbiased: true,
    ...(FC_NUM_RUNS ? { numRuns: Number(FC_NUM_RUNS) } : { numRuns, interruptAfterTimeLimit: 60_000 }),
    ...(FC_SEED ? { seed: Number(FC_SEED) } : {}),
  };
}
