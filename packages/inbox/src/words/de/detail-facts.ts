import { countNumber } from "../locale.js";
import type { Words } from "../words.js";

export const facts: Words["detail"]["facts"] = {
  edit: "Bearbeiten",
  about: (argument) => `Über ${argument}`,
  closeEditor: "Schließen",
  rawJson: "Als JSON",
  asJson: "Angaben als JSON",
  noArguments: "Keine Angaben.",
  value: "Wert",
  nothing: "nichts",
  warnings: {
    more: "Es gibt mehr Warnungen, als hier aufgeführt sind",
    checked: "Geprüft",
    check: "Als geprüft markieren",
  },
  checks: {
    title: "Sicherheitsprüfungen",
    passed: "Bestanden",
    failed: "Nicht bestanden",
  },
  counts: "Grenze",
  method: {
    again: "Wird kurz vor der Ausführung noch einmal geprüft. Hat sich etwas geändert, passiert nichts.",
    ofOriginal: "Gilt für die ursprünglichen Werte.",
    asOf: (at) => `Stand: ${at}.`,
  },
  effects: {
    title: "Wirkung",
    none: "Nichts würde sich ändern.",
    count: (count) => `Anzahl: ${countNumber(count)}`,
    before: "Vorher",
    after: "Nachher",
    unchanged: (value) => `Keine Änderung: Der Stand ist bereits ${value}`,
  },
  code: {
    title: "Dieser Code verwendet anscheinend",
    line: (line) => `Zeile ${line}`,
    advice: "Durch Lesen des Codes gefunden, nicht durch Ausführen. Er kann auch andere Werkzeuge verwenden.",
  },
};
