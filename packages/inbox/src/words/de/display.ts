import type { DisplayWords } from "@countersign/policy/display";
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
    threw: "Keine Vorschau: Was dieser Aufruf ändern würde, ließ sich nicht ermitteln.",
    late: "Keine Vorschau: Zu ermitteln, was dieser Aufruf ändern würde, dauerte zu lange.",
    invalid: "Keine Vorschau: Die Vorschau des Werkzeugs lieferte etwas, das sich nicht anzeigen lässt.",
  },
};

const counts: DisplayWords["counts"] = {
  per: {
    requester: "durch diesen Auftraggeber",
    thread: "in dieser Unterhaltung",
    tenant: "insgesamt",
    same: (name) => `mit demselben Wert von ${name}`,
  },
  hiddenTotal: "verborgen",
  line({ total, limit, amount, tool, window, per, isOneCall, isOver }) {
    const where = `${tool} innerhalb von ${window}, ${per}`;
    if (total === undefined)
      return `${amount === undefined ? "Aufrufe von" : `${amount} bei`} ${where}: nicht bekannt`;
    const counted = limit === undefined ? total : `${total} von ${limit}`;
    const calls = isOneCall ? "Aufruf" : limit === undefined ? "Aufrufe" : "Aufrufen";
    const line =
      amount === undefined ? `${counted} ${calls} von ${where}` : `${amount}: ${counted} bei ${where}`;
    return `${line}${isOver ? " (Grenze überschritten)" : ""}`;
  },
};

const budgets: DisplayWords["budgets"] = {
  used: (used, total) => `${used} von ${total} verbraucht`,
  usedWithMaximum: (used, total, each) => `${used} von ${total} verbraucht, je Aufruf höchstens ${each}`,
  overTotal: (used, total, amount) =>
    `Eine Dauerfreigabe deckt solche Aufrufe ab, aber ${used} von ${total} sind verbraucht, und dieser Aufruf verlangt ${amount}.`,
  overEach: (each, amount) =>
    `Eine Dauerfreigabe deckt solche Aufrufe ab, aber je Aufruf höchstens ${each}, und dieser Aufruf verlangt ${amount}.`,
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
  counts,
  budgets,
  audit,
  withdrawals,
};
