import { auditTypes } from "./audit-types.js";
import type {
  CountParts,
  DisplayWords,
  EffectWords,
  FlagWords,
  LengthWords,
  MarkWords,
} from "./display-words.js";
import { englishKind } from "./english-kind.js";
import { englishNumbers } from "./number-text.js";
import { previewFailureText } from "./preview-failures.js";
import { withdrawalText } from "./withdrawal-text.js";

const marks: MarkWords = {
  lineBreaks: (count) => `${count} line breaks`,
  spaces: (count) => `${count} spaces`,
  tabs: (count) => `${count} tabs`,
  blanks: (count) => `${count} blanks`,
  oneAccent: "1 more accent",
  accents: (count) => `${count} more accents`,
  invisible: (count) => `${count} invisible characters`,
  inARow: (label) => `${label} in a row`,
  onOneLetter: (label) => `${label} on one letter`,
  characters: {
    "00AD": "soft hyphen",
    "061C": "Arabic letter mark",
    "180E": "Mongolian vowel separator",
    "200B": "zero-width space",
    "200C": "zero-width non-joiner",
    "200D": "zero-width joiner",
    "200E": "left-to-right mark",
    "200F": "right-to-left mark",
    "2028": "line separator",
    "2029": "paragraph separator",
    "202A": "left-to-right embedding",
    "202B": "right-to-left embedding",
    "202C": "end of direction change",
    "202D": "left-to-right override",
    "202E": "right-to-left override",
    "2060": "word joiner",
    "2066": "left-to-right isolate",
    "2067": "right-to-left isolate",
    "2068": "first strong isolate",
    "2069": "end of isolate",
    "2800": "blank Braille pattern",
    "3164": "Hangul filler",
    FEFF: "byte order mark",
    "001B": "escape",
    "0000": "null",
    "0007": "bell",
    "0008": "backspace",
    "000D": "carriage return",
  },
  controlCharacter: "control character",
  privateCharacter: "private character",
  invisibleCharacter: "invisible character",
};

const flags: FlagWords = {
  inName: (flag) => `In the field name: ${flag}`,
  aWord: "A word",
  mixedScript: (word, look, characters) =>
    `${word} mixes letters from different alphabets; ${look}: ${characters}`,
  lookAlike: (word, look, characters) => `${word} contains look-alike letters; ${look}: ${characters}`,
  compatibility: (word, look, characters) =>
    `${word} contains characters in an unusual form; ${look}: ${characters}`,
  foreignDigits: (word, look) => `${word} contains digits from another script; ${look}`,
  looksLike: (other) => `it looks like ${other}`,
  mayImitate: "it may imitate another word",
  direction: (characters) => `Characters that change the text direction: ${characters}`,
  control: (characters) => `Control characters: ${characters}`,
  invisible: (characters) => `Invisible characters: ${characters}`,
  decimals: (number) => `An amount with more than two decimals: ${number}`,
  largeNumber: (number) => `Unusually large; it is sent as ${number}`,
  cutShort: "The summary above shows only the first line of this value",
  another: (kind) => `Unusual characters (${kind})`,
};

const effects: EffectWords = {
  nothing: "nothing",
  ownBeginnings: /^(?:nothing|no|it|this|more|\d[\d,]* more)\b/i,
  nothingWouldChange: "Nothing would change.",
  unchanged: (value) => `no change, it is already ${value}`,
  more: (count) => `${count} more`,
  reversible: {
    unknown: "It is not known whether this can be undone.",
    yes: "This can be undone.",
    no: "This cannot be undone.",
    within: (time) => `This can be undone within ${time}.`,
  },
  failures: previewFailureText,
};

const lengths: LengthWords = {
  s: (count) => (count === "1" ? "1 second" : `${count} seconds`),
  m: (count) => (count === "1" ? "1 minute" : `${count} minutes`),
  h: (count) => (count === "1" ? "1 hour" : `${count} hours`),
  d: (count) => (count === "1" ? "1 day" : `${count} days`),
  w: (count) => (count === "1" ? "1 week" : `${count} weeks`),
};

/** The beginning of a line about a count: "80 of 400 EUR", "3 of 10 refunds", "1 over the limit of 10 refunds". */
function countedText({ total, limit, excess, isSum, amount, label, isOne }: CountParts): string {
  const things = isSum ? "" : ` ${englishKind(label, isOne ? 1 : 2)}`;
  const of = amount === undefined ? "" : `${amount}: `;
  if (excess !== undefined) return `${of}${excess} over the limit of ${limit}${things}`;
  return `${of}${total}${limit === undefined ? "" : ` of ${limit}`}${things}`;
}

/** English, the default of each function. */
export const englishDisplay: DisplayWords = {
  numbers: englishNumbers,
  quotes: { open: "“", close: "”" },
  hidden: "[hidden]",
  marks,
  flags,
  effects,
  lengths,
  counts: {
    per: {
      requester: "for this requester",
      thread: "in this conversation",
      tenant: "for everyone",
      same: (name) => `for the same ${name}`,
    },
    hiddenTotal: "hidden",
    line(count) {
      const { total, excess, amount, tool, label, window, per } = count;
      const where = `${tool === undefined ? "" : ` of ${tool}`} in ${window} ${per}`;
      if (total === undefined) return `${amount ?? englishKind(label, 2)}${where}: not known`;
      // What is counted of other tools may leave this one out.
      const isIncluded = tool === undefined && excess === undefined;
      return `${countedText(count)}${where}${isIncluded ? ", this one included" : ""}`;
    },
  },
  budgets: {
    used: (used, total) => `${used} of ${total} used`,
    usedWithMaximum: (used, total, each) => `${used} of ${total} used, at most ${each} each`,
    overTotal: (used, total, amount) =>
      `A standing permission covers this kind, but ${used} of ${total} are used, and this one asks for ${amount}.`,
    overEach: (each, amount) =>
      `A standing permission covers this kind, but at most ${each} each, and this one asks for ${amount}.`,
  },
  audit: { types: auditTypes, another: (type) => `Another event: ${type}` },
  withdrawals: withdrawalText,
};
