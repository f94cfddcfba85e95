import canonicalize from "canonicalize";
import { countMarkers } from "./hidden-text.js";

/** Where an item of an edited list stood before: its place, `"new"`, or `"unclear"` where several places are possible. */
export type Origin = number | "new" | "unclear";

/**
 * Which item each item of an edited list was, by what somebody saw of the list. What is hidden goes with its item: a place
 * alone would give one payment another's account number as soon as an item is removed or moved.
 */
export function originsOf(edited: readonly unknown[], shown: unknown): Origin[] {
  const before: readonly unknown[] = Array.isArray(shown) ? shown : [];
  const places = new Map<string, number[]>();
  for (const [place, item] of before.entries()) {
    const word = wordFor(item);
    const same = places.get(word);
    if (same) same.push(place);
    else places.set(word, [place]);
  }
  const found = edited.map((item) => places.get(wordFor(item)) ?? []);
  const stays = (place: number) => found[place]?.includes(place) ?? false;
  const moves = found.some((possible, place) => possible.length > 0 && !possible.includes(place));
  // As it was, perhaps with new items behind; or items changed where they stand.
  const inOrder = before.every((_, place) => stays(place)) || (edited.length === before.length && !moves);
  const taken = found.flatMap((possible) => (possible.length === 1 ? possible : []));
  return edited.map((item, place) => {
    if (inOrder) return place < before.length ? place : "new";
    const hasHidden = countMarkers(JSON.stringify(item)) > 0;
    const [origin, ...others] = found[place] ?? [];
    if (origin === undefined) return hasHidden ? "unclear" : "new";
    // Several that look the same are the same where nothing of them is hidden.
    if (!hasHidden) return origin;
    const isOnly = others.length === 0 && taken.indexOf(origin) === taken.lastIndexOf(origin);
    return isOnly ? origin : "unclear";
  });
}

function wordFor(item: unknown): string {
  return canonicalize(item) ?? "";
}
