import type { CountParts, DisplayWords } from "@countersign/policy/display";
import { numbers } from "../locale.js";
import { audit } from "./audit.js";
import { withdrawals } from "./withdrawals.js";

const marks: DisplayWords["marks"] = {
  lineBreaks: (count) => `${count} Zeilenumbrüche`,
  spaces: (count) => `${count} Leerzeichen`,
  tabs: (count) => `${count} Tabulatoren`,
  blanks: (count) => `${count} Leerstellen`,
  oneAccent: "1 weiterer Akzent",
  accents: (count) => `${count} weitere Akzente`,
  invisible: (count) => `${count} unsichtbare Zeichen`,
  inARow: (label) => `${label} hintereinander`,
  onOneLetter: (label) => `${label} auf einem Buchstaben`,
  characters: {
    "00AD": "bedingter Trennstrich",
    "061C": "arabisches Richtungszeichen",
    "180E": "mongolischer Vokaltrenner",
    "200B": "Leerzeichen ohne Breite",
    "200C": "Bindehemmer ohne Breite",
    "200D": "Verbinder ohne Breite",
    "200E": "Zeichen für links nach rechts",
    "200F": "Zeichen für rechts nach links",
    "2028": "Zeilentrenner",
    "2029": "Absatztrenner",
    "202A": "Einbettung von links nach rechts",
    "202B": "Einbettung von rechts nach links",
    "202C": "Ende der Richtungsänderung",
    "202D": "erzwungene Richtung von links nach rechts",
    "202E": "erzwungene Richtung von rechts nach links",
    "2060": "Wortverbinder",
    "2066": "Isolierung von links nach rechts",
    "2067": "Isolierung von rechts nach links",
    "2068": "Isolierung nach dem ersten Zeichen mit Richtung",
    "2069": "Ende der Isolierung",
    "2800": "leeres Braille-Zeichen",
    "3164": "Hangul-Füllzeichen",
    FEFF: "Bytereihenfolge-Markierung",
    "001B": "Escape",
    "0000": "Nullzeichen",
    "0007": "Signalton",
    "0008": "Rückschritt",
    "000D": "Wagenrücklauf",
  },
  controlCharacter: "Steuerzeichen",
  privateCharacter: "privates Zeichen",
  invisibleCharacter: "unsichtbares Zeichen",
};

const flags: DisplayWords["flags"] = {
  inName: (flag) => `Im Namen des Felds: ${flag}`,
  aWord: "Ein Wort",
  mixedScript: (word, look, characters) =>
    `${word} mischt Buchstaben verschiedener Alphabete; ${look}: ${characters}`,
  lookAlike: (word, look, characters) =>
    `${word} enthält Buchstaben, die anderen gleichen; ${look}: ${characters}`,
  compatibility: (word, look, characters) =>
    `${word} enthält Zeichen in ungewöhnlicher Form; ${look}: ${characters}`,
  foreignDigits: (word, look) => `${word} enthält Ziffern einer anderen Schrift; ${look}`,
  looksLike: (other) => `sieht aus wie ${other}`,
  mayImitate: "ahmt vielleicht ein anderes Wort nach",
  direction: (characters) => `Zeichen, die die Schreibrichtung ändern: ${characters}`,
  control: (characters) => `Steuerzeichen: ${characters}`,
  invisible: (characters) => `Unsichtbare Zeichen: ${characters}`,
  decimals: (number) => `Betrag mit mehr als zwei Nachkommastellen: ${number}`,
  largeNumber: (number) => `Ungewöhnlich groß; gesendet wird ${number}`,
  cutShort: "Die Zusammenfassung oben zeigt nur die erste Zeile dieses Werts",
  another: (kind) => `Ungewöhnliche Zeichen (${kind})`,
};

const effects: DisplayWords["effects"] = {
  nothing: "nichts",
  ownBeginnings: /^(?:nichts|keine?|es|dies|ob|weitere|\d[\d.,'’\s]* weitere)(?![\p{L}\p{N}])/iu,
  nothingWouldChange: "Es würde sich nichts ändern.",
  unchanged: (value) => `keine Änderung, bereits ${value}`,
  more: (count) => `${count} weitere`,
  reversible: {
    unknown: "Es ist nicht bekannt, ob sich dies rückgängig machen lässt.",
    yes: "Es lässt sich rückgängig machen.",
    no: "Es lässt sich nicht rückgängig machen.",
    within: (time) => `Es lässt sich innerhalb von ${time} rückgängig machen.`,
  },
  failures: {
    threw: "Keine Vorschau: Das Werkzeug konnte nicht sagen, was sich ändern würde.",
    late: "Keine Vorschau: Das Werkzeug brauchte zu lange, um zu sagen, was sich ändern würde.",
    invalid: "Keine Vorschau: Die Vorschau des Werkzeugs lieferte etwas, das sich nicht anzeigen lässt.",
  },
};

// All of them follow prepositions with the dative.
const lengths: DisplayWords["lengths"] = {
  s: (count) => (count === "1" ? "1 Sekunde" : `${count} Sekunden`),
  m: (count) => (count === "1" ? "1 Minute" : `${count} Minuten`),
  h: (count) => (count === "1" ? "1 Stunde" : `${count} Stunden`),
  d: (count) => (count === "1" ? "1 Tag" : `${count} Tagen`),
  w: (count) => (count === "1" ? "1 Woche" : `${count} Wochen`),
};

/** The beginning of a line about a count: "80 von 400 EUR", "3 von 10 Vorgängen", "1 über der Grenze von 10 Vorgängen". */
function countedText({ total, limit, excess, isSum, amount, isOne }: CountParts): string {
  const several = limit === undefined ? " Vorgänge" : " Vorgängen";
  const what = isSum ? "" : isOne ? " Vorgang" : several;
  const of = amount === undefined ? "" : `${amount}: `;
  if (excess !== undefined) return `${of}${excess} über der Grenze von ${limit}${what}`;
  return `${of}${total}${limit === undefined ? "" : ` von ${limit}`}${what}`;
}

const counts: DisplayWords["counts"] = {
  per: {
    requester: "für diese Person",
    thread: "in dieser Unterhaltung",
    tenant: "insgesamt",
    same: (name) => `je ${name}`,
  },
  hiddenTotal: "verborgen",
  line(count) {
    const { total, excess, amount, tool, window, per } = count;
    const where = `${tool === undefined ? "" : ` bei ${tool}`} in ${window} ${per}`;
    if (total === undefined) return `${amount ?? "Vorgänge"}${where}: nicht bekannt`;
    const isIncluded = tool === undefined && excess === undefined;
    return `${countedText(count)}${where}${isIncluded ? ", dieser eingerechnet" : ""}`;
  },
};

const budgets: DisplayWords["budgets"] = {
  used: (used, total) => `${used} von ${total} verbraucht`,
  usedWithMaximum: (used, total, each) => `${used} von ${total} verbraucht, je Vorgang höchstens ${each}`,
  overTotal: (used, total, amount) =>
    `Eine befristete Erlaubnis deckt solche Vorgänge ab, aber ${used} von ${total} sind verbraucht, und dieser verlangt ${amount}.`,
  overEach: (each, amount) =>
    `Eine befristete Erlaubnis deckt solche Vorgänge ab, aber je Vorgang höchstens ${each}, und dieser verlangt ${amount}.`,
};

/** How `@countersign/policy/display` writes in German. */
export const display: DisplayWords = {
  get numbers() {
    return numbers;
  },
  quotes: { open: "„", close: "“" },
  hidden: "[verborgen]",
  marks,
  flags,
  effects,
  lengths,
  counts,
  budgets,
  audit,
  withdrawals,
};
