/** Whether the benchmarks run only for a moment, to show that each still gives its figures, which then mean nothing. */
export const isBrief = process.argv.includes("--brief");

/**
 * A number of rounds, rows or milliseconds: in a brief run a hundredth of it.
 *
 * @param {number} full
 * @param {number} [least] the smallest number with which the benchmark works
 */
export function scaled(full, least = 2) {
  return isBrief ? Math.max(least, Math.ceil(full / 100)) : full;
}

/** The arguments of a process of a benchmark, by which it is brief too. */
export const briefArguments = isBrief ? ["--brief"] : [];
