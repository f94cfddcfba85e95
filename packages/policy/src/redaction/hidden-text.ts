import type { Span } from "../bounded/linear-pattern.js";
import type { Meter } from "../bounded/work-limit.js";
import type { TextPattern } from "./redact-patterns.js";

/** The marker that replaces hidden values. */
export const hiddenValue = "[hidden]";

/** A text as displayed, with the hidden texts behind its markers, in order. */
export interface HiddenText {
  shown: string;
  /** A marker that was part of the original text maps to itself. */
  originals: string[];
  /** Whether the whole text is hidden. */
  wholly: boolean;
}

/**
 * Hides all matches of the patterns; `undefined` if there are none.
 *
 * @throws TooMuchWork
 */
export function hideMatches(
  text: string,
  patterns: readonly TextPattern[],
  meter: Meter,
): HiddenText | undefined {
  const spans = spansOf(text, patterns, meter);
  if (spans.length === 0) return undefined;
  let shown = "";
  let at = 0;
  const originals: string[] = [];
  const take = (plain: string) => {
    shown += plain;
    originals.push(...Array<string>(countMarkers(plain)).fill(hiddenValue));
  };
  for (const { from, to } of spans) {
    take(text.slice(at, from));
    shown += hiddenValue;
    originals.push(text.slice(from, to));
    at = to;
  }
  take(text.slice(at));
  return { shown, originals, wholly: shown === hiddenValue };
}

/** Replaces each marker by its hidden text; `undefined` if the number of markers differs. */
export function restoreMarkers(text: string, originals: readonly string[]): string | undefined {
  const pieces = text.split(hiddenValue);
  if (pieces.length - 1 !== originals.length) return undefined;
  return pieces.map((piece, index) => piece + (originals[index] ?? "")).join("");
}

export function countMarkers(text: string): number {
  return text.split(hiddenValue).length - 1;
}

/** Spans matched by the patterns, in order. Overlapping and adjacent matches are merged. */
function spansOf(text: string, patterns: readonly TextPattern[], meter: Meter): Span[] {
  const found = patterns
    .flatMap((pattern) => pattern.spans(text, meter))
    .filter(({ from, to }) => to > from)
    .sort((one, other) => one.from - other.from);
  const spans: Span[] = [];
  for (const span of found) {
    const last = spans.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else spans.push(span);
  }
  return spans;
}
