import { canonicalJson } from "../shared/canonical-json.js";
import { countMarkers } from "./hidden-text.js";

/** The origin of an item in an edited list: its previous index, `"new"`, or `"unclear"` if several are possible. */
export type Origin = number | "new" | "unclear";

/** Maximum number of changed items with hidden parts that are compared with all others. */
const maxCompared = 100;

/**
 * Maps each item of an edited list to its origin, by the visible parts. Hidden values belong to their item: matching
 * by index alone would give a payment another's account number after an item is removed or moved.
 */
export function originsOf(edited: readonly unknown[], shown: readonly unknown[]): Origin[] {
  const before = shown.map(wordFor);
  const after = edited.map(wordFor);
  const stays = (place: number) => place < before.length && after[place] === before[place];
  const placesBefore = placesOf(before);
  const placesAfter = placesOf(after);
  const nothingMoves = after.every((word, place) => stays(place) || !placesBefore.has(word));
  // Items are only changed in place or appended.
  const inOrder = after.length >= before.length && nothingMoves;
  const changed = inOrder ? [...before.keys()].filter((place) => !stays(place)) : [];
  const compared = changed.filter((place) => hasHidden(edited[place]));
  const leavesBefore = compared.length > 0 && compared.length <= maxCompared ? shown.map(leavesOf) : [];
  // If only one item has changed, its index is its origin, unless it has more in common with another item.
  const isOwn = changed.length === 1 ? noOtherIsMoreSimilar : isMostSimilar;

  const pairs = new Map<string, number>();
  return edited.map((item, place): Origin => {
    if (inOrder) {
      if (stays(place)) return place;
      if (place >= before.length) return "new";
      if (!hasHidden(item) || isOwn(commonWith(leavesOf(item), leavesBefore), place)) return place;
      return "unclear";
    }
    const word = after[place] ?? "";
    const possible = placesBefore.get(word) ?? [];
    const [first] = possible;
    if (first === undefined) return hasHidden(item) ? "unclear" : "new";
    // Equal items are interchangeable if nothing in them is hidden. Otherwise they keep their order if none was
    // removed.
    if (!hasHidden(item)) return first;
    const next =
      placesAfter.get(word)?.length === possible.length ? possible[pairs.get(word) ?? 0] : undefined;
    pairs.set(word, (pairs.get(word) ?? 0) + 1);
    return next ?? "unclear";
  });
}

function hasHidden(item: unknown): boolean {
  return countMarkers(JSON.stringify(item) ?? "") > 0;
}

function wordFor(item: unknown): string {
  return canonicalJson(item) ?? "";
}

function placesOf(words: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, word] of words.entries()) {
    const same = places.get(word);
    if (same) same.push(place);
    else places.set(word, [place]);
  }
  return places;
}

/** The visible values of an item with their paths. */
function leavesOf(item: unknown): Set<string> {
  const leaves = new Set<string>();
  const visit = (value: unknown, path: string): void => {
    if (typeof value === "object" && value !== null) {
      for (const [key, child] of Object.entries(value)) visit(child, `${path}/${JSON.stringify(key)}`);
    } else if (typeof value !== "string" || countMarkers(value) === 0) {
      leaves.add(`${path}=${JSON.stringify(value)}`);
    }
  };
  visit(item, "");
  return leaves;
}

/** How many visible values an item shares with each other item. */
function commonWith(leaves: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): number[] {
  return others.map((other) => [...leaves].filter((leaf) => other.has(leaf)).length);
}

function isMostSimilar(common: readonly number[], place: number): boolean {
  const own = common[place] ?? 0;
  return own > 0 && common.every((count, other) => other === place || count < own);
}

function noOtherIsMoreSimilar(common: readonly number[], place: number): boolean {
  const own = common[place] ?? 0;
  return common.every((count) => count <= own);
}
