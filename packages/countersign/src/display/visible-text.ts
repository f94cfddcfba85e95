import { codePointName, markLabel } from "./text-mark.js";
import { unseenMarks } from "./unseen-marks.js";

/**
 * Makes text from a model or tool safe to display. Invisible and reordering characters appear as ⟨U+202E⟩, gaps as
 * ⟨400 spaces⟩, and line breaks as ⏎. Text longer than `max` (UTF-16 units) is truncated with an ellipsis, never
 * within a label.
 *
 * @example
 * ```ts
 * import { visibleText } from "countersign/display";
 *
 * export const title = visibleText(`to ada@example.com${" ".repeat(400)}, eve@example.com`, 120);
 * // to ada@example.com⟨400 spaces⟩, eve@example.com
 * ```
 */
export function visibleText(text: string, max: number): string {
  return cutPieces(visiblePieces(text), max).shown;
}

/** The first non-empty line of a text, made safe like above. `cut` is set if the text has more. */
export function visibleLine(text: string, max: number): { shown: string; cut: boolean } {
  return cutPieces(firstLine(visiblePieces(text)), max);
}

function cutPieces(pieces: Iterable<string>, max: number): { shown: string; cut: boolean } {
  let shown = "";
  let room = "";
  for (const piece of pieces) {
    if (piece === restOfLines || shown.length + piece.length > max) return { shown: `${room}…`, cut: true };
    shown += piece;
    if (shown.length < max) room = shown;
  }
  return { shown, cut: false };
}

const restOfLines = "";
/** Symbol that replaces line breaks. */
const shownBreak = /^(?:⏎|⟨[\d,]+ line breaks⟩|⟨U\+(?:000B|000C|0085|2028|2029)⟩)$/;

function* firstLine(pieces: Iterable<string>): Generator<string> {
  let begun = false;
  for (const piece of pieces) {
    const breaks = shownBreak.test(piece);
    if (breaks && begun) {
      yield restOfLines;
      return;
    }
    begun ||= !breaks && piece.trim() !== "";
    yield piece;
  }
}

/** Yields the characters of a text, with labels for invisible ones. Lazy: reads only as far as needed. */
function* visiblePieces(text: string): Generator<string> {
  for (const part of partsOf(text)) {
    let at = 0;
    for (const mark of unseenMarks(part)) {
      yield* plainPieces(part.slice(at, mark.start));
      at = mark.end;
      yield part.slice(mark.start, at) === "\r" ? "⏎" : `⟨${markLabel(mark)}⟩`;
    }
    yield* plainPieces(part.slice(at));
  }
}

function* plainPieces(text: string): Generator<string> {
  for (const [piece] of text.matchAll(/\r?\n|[\s\S]/gu)) {
    yield piece.endsWith("\n") ? "⏎" : piece === "\t" ? `⟨${codePointName(piece)}⟩` : piece;
  }
}

const partLength = 1_000;

/** Splits a long text between two letters, so that no gap or emoji is split. */
function* partsOf(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    let to = from + partLength;
    while (to < text.length && !/^[\p{L}\p{N}\p{P}]{2}$/u.test(text.slice(to - 1, to + 1))) to += 1;
    yield text.slice(from, to);
    from = to;
  }
}
