import { closest, distance } from "fastest-levenshtein";

/** Returns `; did you mean "name"?` if a known word is close to the wrong one, and an empty string if none is. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const nearest = closest(wrong, [...known]);
  const near =
    distance(wrong.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, Math.floor(wrong.length / 3));
  return near ? `; did you mean "${nearest}"?` : "";
}
