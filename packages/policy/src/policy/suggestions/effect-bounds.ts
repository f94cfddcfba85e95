import { effectsOf } from "../preview-facts.js";
import type { DecidedCall } from "./decided-call.js";

/** What calls with a preview have in common: that they can be taken back, and how much they change at most. */
export function effectBounds(calls: readonly DecidedCall[]): string[] {
  const effects = calls.map(({ call }) => effectsOf(call) ?? []);
  const counts = effects.flat().flatMap(({ count }) => (count === undefined ? [] : [count]));
  const most = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b), 0);
  const uncounted = "!has(e.count)";
  const each = counts.length > 0 ? `(${uncounted} || e.count <= ${most(counts)})` : uncounted;
  return [
    "reversible",
    `size(effects) <= ${most(effects.map((list) => list.length))}`,
    `effects.all(e, ${each})`,
  ];
}
