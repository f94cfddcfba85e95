import type { DisplayWords } from "./display-words.js";
import { englishDisplay } from "./english.js";
import { codePointName, markLabel } from "./text-mark.js";
import { unseenMarks } from "./unseen-marks.js";

/**
 * Makes text from a model or tool safe to display. Invisible and reordering characters appear as ⟨U+202E⟩, gaps as
 * ⟨400 spaces⟩, and line breaks as ⏎. Text longer than `max` (UTF-16 units) is truncated with an ellipsis, never
 * within a label.
 *
 * @example
 * ```ts
 * import { visibleText } from "@countersign/policy/display";
 *
 * export const title = visibleText(`to ada@example.com${" ".repeat(400)}, eve@example.com`, 120);
 * // to ada@example.com⟨400 spaces⟩, eve@example.com
 * ```
 */
export function visibleText(text: string, max: number, words = englishDisplay): string {
  return visibleStart(text, max, words).shown;
}

/** The same, and whether the text was truncated. Reads no more of it than it shows. */
export function visibleStart(
  text: string,
  max: number,
  words = englishDisplay,
): { shown: string; cut: boolean } {
  return cutPieces(visiblePieces(text, words), max);
}

/** The first non-empty line of a text, made safe like above. `cut` is set if the text has more. */
export function visibleLine(
  text: string,
  max: number,
  words = englishDisplay,
): { shown: string; cut: boolean } {
  return cutPieces(firstLine(visiblePieces(text, words)), max);
}

/** A character, or the label of characters that cannot be seen. */
interface Piece {
  shown: string;
  /** It stands for one or more line breaks. */
  isBreak?: true;
}

function cutPieces(pieces: Iterable<Piece>, max: number): { shown: string; cut: boolean } {
  let shown = "";
  let room = "";
  for (const piece of pieces) {
    if (piece === restOfLines || shown.length + piece.shown.length > max)
      return { shown: `${room}…`, cut: true };
    shown += piece.shown;
    if (shown.length < max) room = shown;
  }
  return { shown, cut: false };
}

const restOfLines: Piece = { shown: "" };

function* firstLine(pieces: Iterable<Piece>): Generator<Piece> {
  let begun = false;
  for (const piece of pieces) {
    if (piece.isBreak && begun) {
      yield restOfLines;
      return;
    }
    begun ||= !piece.isBreak && piece.shown.trim() !== "";
    yield piece;
  }
}

/** Yields the characters of a text, with labels for invisible ones. Lazy: reads only as far as needed. */
function* visiblePieces(text: string, words: DisplayWords): Generator<Piece> {
  for (const part of partsOf(text)) {
    let at = 0;
    for (const mark of unseenMarks(part)) {
      yield* plainPieces(part.slice(at, mark.start));
      at = mark.end;
      const hidden = part.slice(mark.start, at);
      const shown = hidden === "\r" ? "⏎" : `⟨${markLabel(mark, words)}⟩`;
      yield mark.kind === "line_breaks" || lineBreak.test(hidden) ? { shown, isBreak: true } : { shown };
    }
    yield* plainPieces(part.slice(at));
  }
}

const lineBreak = /^[\r\v\f\u0085\u2028\u2029]$/;

function* plainPieces(text: string): Generator<Piece> {
  for (const [piece] of text.matchAll(/\r?\n|[\s\S]/gu)) {
    if (piece.endsWith("\n")) yield { shown: "⏎", isBreak: true };
    else yield { shown: piece === "\t" ? `⟨${codePointName(piece)}⟩` : piece };
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
