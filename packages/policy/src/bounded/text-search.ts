import type { Meter } from "./work-limit.js";

/**
 * V8's `indexOf` is linear only for short search texts: finding 400,000 characters in a million takes over a minute.
 */
const maxSearchedLength = 250;

/** Characters that V8 reads per unit of work, even with many near matches. */
export const charactersPerUnit = 8;

/** Metered `text.indexOf(searched, from)`, linear except for texts with near matches everywhere. */
export function boundedIndexOf(text: string, searched: string, from: number, meter: Meter): number {
  const head = searched.slice(0, maxSearchedLength);
  for (let start = from; ; ) {
    meter.afford((text.length - start) / charactersPerUnit);
    const at = text.indexOf(head, start);
    meter.spend(((at < 0 ? text.length : at) - start) / charactersPerUnit + 1);
    if (at < 0 || searched.length <= maxSearchedLength) return at;
    meter.spend(searched.length / charactersPerUnit);
    if (text.startsWith(searched, at)) return at;
    start = at + 1;
  }
}

/** Worst-case cost of a built-in that searches a whole text. */
export function searchCost(text: string, searched: string): number {
  const comparisons = searched.length <= maxSearchedLength ? 1 : searched.length;
  return (text.length * comparisons) / charactersPerUnit + 1;
}
