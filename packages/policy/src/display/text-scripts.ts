import { lookAlikes, looksAscii } from "./look-alikes.js";

const alike = Object.keys(lookAlikes).map((name) => lettersOf(name));
const counting =
  "Arabic Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Khmer Mongolian Ethiopic Nko Javanese Balinese"
    .split(" ")
    .map((name) => ({
      letter: lettersOf(name),
      uses: new RegExp(`\\p{Script_Extensions=${name}}`, "u"),
    }));
const eastAsian =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** The scripts of a text, each detected on first use. */
export function textScripts(text: string) {
  const own = once(() => alike.filter((script) => hasOwnLetter(text, script)));
  const digits = once(() => counting.filter(({ letter }) => letter.test(text)));
  return {
    /** Whether the text has letters of the same script that do not look like ASCII. */
    writes: (letter: string) => own().some((script) => script.test(letter)),
    /** Whether the text has letters of this digit's script. */
    counts: (digit: string) => digits().some(({ uses }) => uses.test(digit)),
    eastAsian: once(() => eastAsian.test(text)),
  };
}

function hasOwnLetter(text: string, script: RegExp): boolean {
  for (const [letter] of text.matchAll(new RegExp(script, "gu"))) if (!looksAscii(letter)) return true;
  return false;
}

function once<T>(find: () => T): () => T {
  let found: { value: T } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}

function lettersOf(script: string): RegExp {
  return new RegExp(`(?=\\p{L})\\p{Script=${script}}`, "u");
}
