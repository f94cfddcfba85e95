/**
 * @typedef {object} Limit
 * @property {number} share of the median, above which it has grown
 * @property {number} least that counts as growth, in the values' own unit
 */

/**
 * How much a value has grown over the last two thirds of the samples, by the median of the slopes between all pairs of
 * them: a single sample, and a swing up and down, does not move it.
 *
 * @param {readonly number[]} samples taken at equal distances
 * @param {Limit} limit
 */
export function growthOf(samples, { share, least }) {
  const seen = samples.slice(Math.floor(samples.length / 3));
  const slopes = seen.flatMap((from, start) =>
    seen.slice(start + 1).map((to, distance) => (to - from) / (distance + 1)),
  );
  const level = median(seen);
  const growth = median(slopes) * (seen.length - 1);
  const allowed = Math.max(least, level * share);
  return { level, growth, allowed, grows: growth > allowed };
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? 0)) / 2;
}
