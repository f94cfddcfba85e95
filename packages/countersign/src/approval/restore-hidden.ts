import { countMarkers, hiddenValue, hideMatches, restoreMarkers } from "./hidden-text.js";
import { below, type Hiding } from "./redact.js";
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
  const done = withinTime(longestMs, () => restoreAt(edited, original, steps, restoring, []));
  if (!done) return { ok: false, fields: ["input"] };
  return refused.length > 0 ? { ok: false, fields: refused } : { ok: true, value: done.value };
}

function restoreAt(
  edited: unknown,
  original: unknown,
  paths: readonly (readonly string[])[],
  restoring: Restoring,
  at: readonly string[],
): unknown {
  if (paths.some((path) => path.length === 0)) {
    if (edited === hiddenValue && original !== undefined) return original;
    return restoreAt(edited, undefined, [], restoring, at);
  }
  if (Array.isArray(edited)) {
    const before: unknown[] = Array.isArray(original) ? original : [];
    return edited.map((item, index) => {
      const key = String(index);
      return restoreAt(item, before[index], below(paths, key), restoring, [...at, key]);
    });
  }
  if (isPlainObject(edited)) {
    const before = isPlainObject(original) ? original : {};
    return Object.fromEntries(
      Object.entries(edited).map(([key, item]) => {
        const own = Object.hasOwn(before, key) ? before[key] : undefined;
        return [key, restoreAt(item, own, below(paths, key), restoring, [...at, key])];
      }),
    );
  }
  return restoreText(edited, original, restoring, at);
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
