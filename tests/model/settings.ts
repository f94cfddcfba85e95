/**
 * How often a property is tried, and from which seed: `FC_NUM_RUNS` and `FC_SEED` where they are set, so that many
 * more can be run by hand and a failure can be run again.
 */
export function runs(numRuns: number): { numRuns: number; unbiased: true; seed?: number } {
  const { FC_NUM_RUNS, FC_SEED } = process.env;
  return {
    // Small numbers are no likelier to be wrong here than others, and would choose the same calls over and over.
    unbiased: true,
    numRuns: FC_NUM_RUNS ? Number(FC_NUM_RUNS) : numRuns,
    ...(FC_SEED ? { seed: Number(FC_SEED) } : {}),
  };
}
