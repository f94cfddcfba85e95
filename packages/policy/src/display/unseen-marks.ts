import { deceptive, deceptiveCharacter } from "../shared/deceptive-character.js";
import { codePointNames, type TextMark } from "./text-mark.js";

/** A longer run of blanks pushes the following text out of sight. */
const maxBlanks = 8;
/** Limit after a line break, where code is indented. */
const maxIndentation = 40;
const maxLineBreaks = 3;
/** Maximum accents on one letter, by default and for scripts that use several. */
const maxAccents = 2;
const maxOwnMarks = 6;

/** Emoji whose joiners and selectors are part of what people see. */
const emoji = String.raw`\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f}|\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*|[#*0-9]\ufe0f\u20e3`;
/** Joiners and word breaks used in Persian, Hindi, Khmer and related scripts. */
const joiner = String.raw`(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Tamil}\p{Script=Sinhala}])[\u200c\u200d](?=[\p{L}\p{M}])|(?<=[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}])\u200b(?=\p{L})`;

const unseenRun = String.raw`[\p{Zs}${deceptive}]{4,}|(?:(?!\r\n|[\t\n])[${deceptive}])+`;
const accents = String.raw`(?:(?!\p{Default_Ignorable_Code_Point})\p{M}){2,}`;
const candidates = new RegExp(`(?:${emoji}|${joiner})|(?<unseen>${unseenRun})|(?<accents>${accents})`, "gu");

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
const plainBreak = /^\r?\n$/;
const blank = /[\p{Zs}\t]/gu;
const directing = /\p{Bidi_Control}/u;
const controlling = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const generalAccent = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

/** Finds invisible characters, long gaps and stacked accents in a text, in order. Lazy. */
export function* unseenMarks(text: string): Generator<TextMark> {
  for (const { 0: found, index, groups } of text.matchAll(candidates)) {
    if (groups?.unseen !== undefined) yield* marksOfRun(found, index);
    if (groups?.accents !== undefined) yield* accentMark(text, found, index);
  }
}

/** Marks a run of invisible characters: one gap if it has many line breaks, otherwise line by line. */
function* marksOfRun(run: string, at: number): Generator<TextMark> {
  const breaks = [...run.matchAll(lineBreak)];
  if (breaks.length > maxLineBreaks) {
    const characters = codePointNames(run.replace(/[\r\n\t ]/g, ""));
    yield { kind: "line_breaks", start: at, end: at + run.length, characters, count: breaks.length };
    return;
  }
  let from = 0;
  for (const { 0: broken, index } of breaks) {
    yield* marksOfLine(run.slice(from, index), at + from, from > 0);
    from = index + broken.length;
    if (!plainBreak.test(broken)) yield hiddenMark("control", broken, at + index);
  }
  yield* marksOfLine(run.slice(from), at + from, from > 0);
}

function* marksOfLine(line: string, at: number, indented: boolean): Generator<TextMark> {
  const count = line.match(blank)?.length ?? 0;
  if (count > (indented ? maxIndentation : maxBlanks)) {
    yield { kind: "blanks", start: at, end: at + line.length, characters: codePointNames(line), count };
    return;
  }
  // Merge adjacent marks of one kind, so that a thousand characters do not become a thousand labels.
  let same: { kind: HiddenKind; text: string; at: number } | undefined;
  let place = at;
  for (const character of line) {
    const kind = hiddenKind(character);
    if (same && same.kind !== kind) {
      yield hiddenMark(same.kind, same.text, same.at);
      same = undefined;
    }
    if (kind) same = same ? { ...same, text: same.text + character } : { kind, text: character, at: place };
    place += character.length;
  }
  if (same) yield hiddenMark(same.kind, same.text, same.at);
}

type HiddenKind = "direction" | "control" | "invisible";

function hiddenKind(character: string): HiddenKind | undefined {
  if (character === "\t" || !deceptiveCharacter.test(character)) return undefined;
  if (directing.test(character)) return "direction";
  return controlling.test(character) ? "control" : "invisible";
}

function hiddenMark(kind: HiddenKind, text: string, start: number): TextMark {
  const all = [...text];
  return { kind, start, end: start + text.length, characters: codePointNames(all), count: all.length };
}

/** The excess accents on one letter; none if the combination exists as one character, as in ancient Greek. */
function* accentMark(text: string, run: string, at: number): Generator<TextMark> {
  const marks = [...run];
  const [base = ""] = text.slice(Math.max(0, at - 2), at).match(/\P{M}$/u) ?? [];
  const general = (base + run).normalize("NFD").match(generalAccent)?.length ?? 0;
  const piled = general > maxAccents && (base + run).normalize("NFC").search(generalAccent) >= 0;
  const kept = piled ? maxAccents : maxOwnMarks;
  if (!piled && marks.length <= kept) return;
  // Remove at least one, even if the base letter itself has accents.
  const rest = marks.slice(Math.min(kept, marks.length - 1));
  const start = at + run.length - rest.join("").length;
  const characters = codePointNames(rest);
  yield { kind: "stacked_marks", start, end: at + run.length, characters, count: rest.length };
}
