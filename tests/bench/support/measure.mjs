import { Bench } from "tinybench";
import { scaled } from "./brief.mjs";

/**
 * One line of the results. `ratio` is how many times slower `ratioTo` is, in the same run.
 * @typedef {{ name: string, value: number, unit: string, ratioTo?: string, ratio?: number, aim?: string, met?: boolean }} Result
 */

const rounds = scaled(11);
const callsAtOnce = 500;

/**
 * The time of one call of each, in microseconds: the median of several rounds, in each of which all of them take their
 * turn, so that whatever else the machine does falls on all alike. Many calls are timed at once, since one is shorter
 * than the clock can tell.
 *
 * @template {string} Name
 * @param {Record<Name, (index: number) => unknown>} subjects each is called with 0, 1, 2, …
 * @param {{ callsAtOnce?: number }} [options]
 * @returns {Promise<Record<Name, number>>}
 */
export async function microsecondsPerCall(subjects, options = {}) {
  const atOnce = options.callsAtOnce ?? callsAtOnce;
  const names = /** @type {Name[]} */ (Object.keys(subjects));
  const medians = /** @type {Record<Name, number[]>} */ (Object.fromEntries(names.map((name) => [name, []])));
  const next = Object.fromEntries(names.map((name) => [name, 0]));
  for (let round = 0; round < rounds; round += 1) {
    const bench = new Bench({
      time: scaled(60, 5),
      iterations: 5,
      warmupTime: round === 0 ? 300 : 20,
      warmupIterations: 2,
    });
    for (const name of names) {
      const subject = subjects[name];
      bench.add(name, () => {
        let index = next[name];
        for (const end = index + atOnce; index < end; index += 1) kept = subject(index);
        next[name] = index;
      });
    }
    await bench.warmup();
    await bench.run();
    for (const name of names) {
      const result = bench.getTask(name)?.result;
      if (!result || result.error) throw result?.error ?? new Error(`${name} gave no result`);
      medians[name].push(median(result.samples) / atOnce);
    }
  }
  return /** @type {Record<Name, number>} */ (
    Object.fromEntries(names.map((name) => [name, median(medians[name]) * 1000]))
  );
}

/** What was computed last: something has to need the results, or the engine may leave the work out. @public */
export let kept;

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
