import { isDeepStrictEqual } from "node:util";
import { countMarkers, hiddenValue, hideMatches, restoreMarkers } from "./hidden-text.js";
import { originsOf } from "./list-origins.js";
import { below, type Hiding, redact } from "./redact.js";
import { redactExpression } from "./redact-patterns.js";
import { isPlainObject } from "./tool-input.js";
import { withinTime } from "./within-time.js";

/** An edit with the hidden values as they were, or the fields in which that cannot be. */
export type Restored = { ok: true; value: unknown } | { ok: false; fields: string[] };

/** Longest time that patterns may take for one edit, in milliseconds. */
const longestMs = 1000;

interface Restoring {
  expressions: readonly RegExp[];
  seesEverything: boolean;
  refused: string[];
}

/**
 * An edit made by somebody who could not see everything, with the hidden values and parts of texts as they were. A
 * marker anywhere else, and a text that has lost one, is refused: nobody should write a marker into the arguments, or
 * over what they could not see. Whoever sees everything may write what they like in place of a marker.
 */
export function restoreHidden(
  edited: unknown,
  original: unknown,
  hiding: Hiding & { seesEverything: boolean },
): Restored {
  const { redact: paths, redactPatterns, seesEverything } = hiding;
  if (paths.length === 0 && redactPatterns.length === 0) return { ok: true, value: edited };
  const refused: string[] = [];
  const restoring = { expressions: redactPatterns.map(redactExpression), seesEverything, refused };
  const steps = paths.map((path) => path.split("."));
  const shown = redact(original, hiding);
  const done = withinTime(longestMs, () => restoreAt(edited, { original, shown }, steps, restoring, []));
  if (!done) return { ok: false, fields: ["input"] };
  return refused.length > 0 ? { ok: false, fields: refused } : { ok: true, value: done.value };
}

/** A value as it was, and what the editor saw of it. */
interface Before {
  original: unknown;
  shown: unknown;
}

const nothing: Before = { original: undefined, shown: undefined };

function restoreAt(
  edited: unknown,
  before: Before,
  paths: readonly (readonly string[])[],
  restoring: Restoring,
  at: readonly string[],
): unknown {
  if (paths.some((path) => path.length === 0)) {
    if (edited === hiddenValue && before.original !== undefined) return before.original;
    return restoreAt(edited, nothing, [], restoring, at);
  }
  if (Array.isArray(edited)) return restoreList(edited, before, paths, restoring, at);
  if (isPlainObject(edited)) {
    return Object.fromEntries(
      Object.entries(edited).map(([key, item]) => [
        key,
        restoreAt(item, childOf(before, key), below(paths, key), restoring, [...at, key]),
      ]),
    );
  }
  return restoreText(edited, before.original, restoring, at);
}

function restoreList(
  edited: readonly unknown[],
  before: Before,
  paths: readonly (readonly string[])[],
  restoring: Restoring,
  at: readonly string[],
): unknown[] {
  const original = itemsOf(before.original);
  const shown = itemsOf(before.shown);
  const origins = restoring.seesEverything ? edited.map((_, place) => place) : originsOf(edited, shown);
  return edited.map((item, place) => {
    const origin = origins[place] ?? "new";
    const here = [...at, String(place)];
    const pathsHere = below(paths, String(place));
    if (origin === "new") return restoreAt(item, nothing, pathsHere, restoring, here);
    // Out from under a path that names its old place, what was hidden would be seen.
    const moved = origin !== place && !isDeepStrictEqual(below(paths, String(origin)), pathsHere);
    if (origin === "unclear" || (moved && countMarkers(JSON.stringify(item)) > 0)) {
      restoring.refused.push(["input", ...here].join("."));
      return item;
    }
    const from = { original: original[origin], shown: shown[origin] };
    return restoreAt(item, from, pathsHere, restoring, here);
  });
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function childOf({ original, shown }: Before, key: string): Before {
  return { original: own(original, key), shown: own(shown, key) };
}

function own(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function restoreText(
  edited: unknown,
  original: unknown,
  { expressions, seesEverything, refused }: Restoring,
  at: readonly string[],
): unknown {
  if (edited === original) return edited;
  const isNumber = typeof original === "number";
  const text = typeof original === "string" || isNumber ? String(original) : "";
  const hidden = hideMatches(text, expressions);
  const counts = hidden && (!isNumber || hidden.wholly) ? hidden : undefined;
  if (counts && isNumber && edited === hiddenValue) return original;
  const originals = counts?.originals ?? Array<string>(countMarkers(text)).fill(hiddenValue);
  const restored = typeof edited === "string" ? restoreMarkers(edited, originals) : undefined;
  if (restored !== undefined) return restored;
  const mayStay = seesEverything || (!counts && (typeof edited !== "string" || countMarkers(edited) === 0));
  if (!mayStay) refused.push(["input", ...at].join("."));
  return edited;
}
