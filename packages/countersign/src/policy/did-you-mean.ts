import { closest, distance } from "fastest-levenshtein";

/** `; did you mean "…"?` where a known word is near enough to the wrong one, else nothing. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const nearest = closest(wrong, [...known]);
  const near =
    distance(wrong.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, Math.floor(wrong.length / 3));
  return near ? `; did you mean "${nearest}"?` : "";
}
