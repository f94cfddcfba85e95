import { isDeepStrictEqual } from "node:util";
import { PatternProblem } from "../bounded/linear-pattern.js";
import { type Meter, TooMuchWork, unitsOfRedaction, WorkLimit } from "../bounded/work-limit.js";
import { isPlainObject } from "../shared/plain-object.js";
import { countMarkers, hiddenValue, hideMatches, restoreMarkers } from "./hidden-text.js";
import { originsOf } from "./list-origins.js";
import { below, type Hiding, redact } from "./redact.js";
import { type TextPattern, textPatterns } from "./redact-patterns.js";

/** An edit with restored hidden values, or the fields that cannot be restored. */
export type Restored = { ok: true; value: unknown } | { ok: false; fields: string[] };

interface Restoring {
  patterns: readonly TextPattern[];
  meter: Meter;
  seesEverything: boolean;
  refused: string[];
}

/**
 * Restores the hidden values and text parts in an edit by someone who could not see them. Only the marker is accepted
 * in place of a hidden value: if correct guesses passed, edits would reveal hidden values. A marker anywhere else is
 * refused, so that none ends up in the arguments. People who see everything are not restricted.
 */
export function restoreHidden(
  edited: unknown,
  original: unknown,
  hiding: Hiding & { seesEverything: boolean },
): Restored {
  const { redact: paths, redactPatterns, seesEverything } = hiding;
  if (paths.length === 0 && redactPatterns.length === 0) return { ok: true, value: edited };
  const limit = new WorkLimit(unitsOfRedaction);
  const steps = paths.map((path) => path.split("."));
  const shown = redact(original, hiding, limit);
  try {
    const patterns = textPatterns(redactPatterns);
    return limit.run((meter) => {
      const refused: string[] = [];
      const restoring = { patterns, meter, seesEverything, refused };
      const value = restoreAt(edited, { original, shown }, steps, restoring, []);
      return refused.length > 0 ? { ok: false, fields: refused } : { ok: true, value };
    });
  } catch (error) {
    if (error instanceof TooMuchWork || error instanceof PatternProblem) {
      return { ok: false, fields: ["input"] };
    }
    throw error;
  }
}

/** The original value and what the editor saw of it. */
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
    const wasHidden = before.original !== undefined && before.shown === hiddenValue;
    if (wasHidden && edited === hiddenValue) return before.original;
    if (!wasHidden || restoring.seesEverything) return restoreAt(edited, nothing, [], restoring, at);
    restoring.refused.push(["input", ...at].join("."));
    return edited;
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
    // A hidden value moved away from its redacted path would become visible.
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
  { patterns, meter, seesEverything, refused }: Restoring,
  at: readonly string[],
): unknown {
  const isNumber = typeof original === "number";
  const text = typeof original === "string" || isNumber ? String(original) : "";
  const hidden = hideMatches(text, patterns, meter);
  const counts = hidden && (!isNumber || hidden.wholly) ? hidden : undefined;
  if (!counts && edited === original) return edited;
  if (counts && isNumber && edited === hiddenValue) return original;
  const originals = counts?.originals ?? Array<string>(countMarkers(text)).fill(hiddenValue);
  const restored = typeof edited === "string" ? restoreMarkers(edited, originals) : undefined;
  if (restored !== undefined) return restored;
  const mayStay = seesEverything || (!counts && (typeof edited !== "string" || countMarkers(edited) === 0));
  if (!mayStay) refused.push(["input", ...at].join("."));
  return edited;
}
