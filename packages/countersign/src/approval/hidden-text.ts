/** What stands in place of what is hidden from whoever reads. */
export const hiddenValue = "[hidden]";

/** A text as it is shown, and what its markers stand for, in order. */
export interface HiddenText {
  shown: string;
  /** A marker that the text itself had stands for itself. */
  originals: string[];
  /** Nothing of the text is left to see. */
  wholly: boolean;
}

/** The text with all that the expressions match hidden, or `undefined` where they match nothing. */
export function hideMatches(text: string, expressions: readonly RegExp[]): HiddenText | undefined {
  const spans = spansOf(text, expressions);
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

/** The text with each marker replaced by what it stands for, or `undefined` where there are more or fewer of them. */
export function restoreMarkers(text: string, originals: readonly string[]): string | undefined {
  const pieces = text.split(hiddenValue);
  if (pieces.length - 1 !== originals.length) return undefined;
  return pieces.map((piece, index) => piece + (originals[index] ?? "")).join("");
}

export function countMarkers(text: string): number {
  return text.split(hiddenValue).length - 1;
}

/** Where the expressions match, in order; what overlaps or touches is one span. */
function spansOf(text: string, expressions: readonly RegExp[]): { from: number; to: number }[] {
  const found = expressions
    .flatMap((expression) =>
      [...text.matchAll(expression)].map((match) => ({
        from: match.index,
        to: match.index + match[0].length,
      })),
    )
    .filter(({ from, to }) => to > from)
    .sort((one, other) => one.from - other.from);
  const spans: { from: number; to: number }[] = [];
  for (const span of found) {
    const last = spans.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else spans.push(span);
  }
  return spans;
}
