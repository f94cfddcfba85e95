import { cutText } from "../shared/engine-text.js";
import { asciiLookOf, looksAscii } from "./look-alikes.js";
import { foreignLetters } from "./mixed-scripts.js";
import { codePointNames, type MarkKind, type TextMark } from "./text-mark.js";
import { textScripts } from "./text-scripts.js";

/** Scripts without spaces between words. Their letters end an address or number in another script. */
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const unseen = String.raw`\s\p{Zs}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}`;
/** Words with a letter outside ASCII. */
const word = /[A-Za-z]*(?:(?![A-Za-z])[\p{L}\p{M}])[\p{L}\p{M}]*/gu;
const token = new RegExp(`[^${unseen}${unspaced}\u3000-\u303f]+`, "gu");
const edges = /^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu;

const address = /^[^@\s]+@[^@\s]+\.[^@\s]+$|^[a-z][a-z0-9+.-]*:\/\/|^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[:/?#]|$)/i;
const maxAddress = 2_000;
const account = /(?<![\p{L}\p{N}])\p{L}{2}\p{N}{2}(?: ?[\p{L}\p{N}]{4}){2,}[\p{L}\p{N}]*/gu;

/** Forms of single ASCII characters: dots, letterlike, small, full-width, mathematical. ℓ is a unit. */
const styled =
  /(?!\p{Extended_Pictographic})[\u2024\u2100-\u2112\u2114-\u214f\ufe50-\ufe6b\uff01-\uff5e\u{1d400}-\u{1d7ff}]/gu;
/** Ligatures of Latin letters, and slashes that are none where they stand between letters. */
const joinedLetters = /[\ufb00-\ufb06]|(?<!\p{N})[\u2044\u2215]|[\u2044\u2215](?!\p{N})/gu;
/** Latin look-alikes that are used in living languages. */
const livingLatin = /[ıɣɩʋƖ]/u;
/** Greek letters used in formulas. They count as look-alikes only in addresses. */
const formulaLetters = /[αγινρσυ]/u;
const foreignDigit = /[\u066b\u066c]|(?![0-9\uff10-\uff19\u{1d7ce}-\u{1d7ff}])\p{Nd}/gu;
const styledOrForeign = new RegExp(`${styled.source}|${joinedLetters.source}|${foreignDigit.source}`, "u");
const mixedNumber = /[0-9]|[A-Za-z][\p{Nd}\u066b\u066c]/u;

/** Maximum number of marks. */
const maxMarks = 1_000;
/** Length of text that is searched, in UTF-16 units. */
export const maxImpostorText = 250_000;

/**
 * Finds words, addresses and numbers that a reader could mistake for others. In order and without overlaps; at most
 * 1,000, in the first 250,000 characters.
 */
export function impostorMarks(whole: string, max = maxMarks): TextMark[] {
  const enough = Math.min(max, maxMarks);
  const text = cutText(whole, maxImpostorText);
  const found: TextMark[] = [];
  for (const { 0: letters, index } of text.matchAll(word)) {
    const foreign = foreignLetters(letters);
    if (foreign.length > 0) found.push(mark("mixed_script", letters, index, foreign));
    if (found.length >= enough) break;
  }
  for (const { 0: written, index } of text.matchAll(account)) {
    const letters = [...written].filter(looksAscii);
    if (letters.length > 0 && isAscii(asciiLookOf(written)))
      found.push(mark("look_alike", written, index, letters));
  }
  const scripts = textScripts(text);
  for (const { 0: written, index } of text.matchAll(token)) {
    if (isAscii(written)) continue;
    const bare = written.replace(edges, "");
    if (isAscii(bare)) continue;
    const impostor = impostorIn(bare, scripts);
    if (impostor) found.push(mark(impostor.kind, bare, index + written.indexOf(bare), impostor.characters));
    if (found.length >= 2 * enough) break;
  }
  let free = 0;
  return found
    .sort((one, other) => one.start - other.start || other.end - one.end)
    .filter(({ start, end }) => {
      const own = start >= free;
      if (own) free = end;
      return own;
    })
    .slice(0, enough);
}

/** How a word, address or number imitates another one, and with which characters. */
function impostorIn(
  written: string,
  scripts: ReturnType<typeof textScripts>,
): { kind: MarkKind; characters: string[] } | undefined {
  const look = asciiLookOf(written);
  if (look === written && !styledOrForeign.test(written)) return undefined;
  const isAddress = /[.@:]/.test(look) && look.length <= maxAddress && address.test(look);
  const alike = isAscii(look) ? [...written].filter(looksAscii) : [];
  if (alike.length > 0 && (isAddress || alike.some(isDeadLatin) || isForeignCode(alike, look, scripts)))
    return { kind: "look_alike", characters: alike };
  const changed = isAddress
    ? [...written].filter((character) => character.normalize("NFKC") !== character)
    : scripts.eastAsian()
      ? []
      : (written.match(styled) ?? []).filter((character) =>
          /^[\x21-\x7e]$/.test(character.normalize("NFKC")),
        );
  changed.push(...(written.match(joinedLetters) ?? []).filter((character) => !changed.includes(character)));
  if (changed.length > 0) return { kind: "compatibility", characters: changed };
  const digits = written.match(foreignDigit) ?? [];
  if (digits.length > 0 && (mixedNumber.test(written) || !digits.every(scripts.counts)))
    return { kind: "foreign_digits", characters: digits };
  return undefined;
}

function isDeadLatin(letter: string): boolean {
  return isLatin(letter) && !livingLatin.test(letter);
}

function isLatin(letter: string): boolean {
  return /\p{Script=Latin}/u.test(letter);
}

/**
 * A number or code with letters of a script that the rest of the text does not use, such as `Ε5,000` with an epsilon.
 */
function isForeignCode(
  letters: readonly string[],
  look: string,
  scripts: ReturnType<typeof textScripts>,
): boolean {
  return (
    /\d/.test(look) &&
    letters.every((letter) => !isLatin(letter) && !formulaLetters.test(letter) && !scripts.writes(letter))
  );
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function mark(kind: MarkKind, text: string, start: number, characters: Iterable<string>): TextMark {
  const look = asciiLookOf(text);
  return {
    kind,
    start,
    end: start + text.length,
    characters: codePointNames(characters),
    ...(isAscii(look) && look !== text ? { looksLike: look } : {}),
  };
}
