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
    repeated:
      "Stand beim Vorschlag des Aufrufs. Unmittelbar vor dem Start wird erneut geprüft; besteht der Aufruf dann nicht, wird er nicht ausgeführt.",
  },
  counts: {
    title: "Im Zeitraum gezählt",
    asProposed:
      "Gezählt mit diesem Aufruf, wie er vorgeschlagen wurde. Die geänderten Angaben beurteilt die Richtlinie vor dem Start mit neuen Zahlen.",
    repeated:
      "Gezählt beim Vorschlag, einschließlich dieses Aufrufs. Die Richtlinie beurteilt die Zahlen unmittelbar vor dem Start erneut.",
  },
  effects: {
    title: "Was sich ändern würde",
    none: "Nichts würde sich ändern.",
    count: (count) => `Anzahl: ${countNumber(count)}`,
    before: "Vorher",
    after: "Nachher",
    unchanged: (value) => `Keine Änderung: Der Stand ist bereits ${value}`,
    asProposed:
      "Das würde der Aufruf ändern, wie er vorgeschlagen wurde. Was die geänderten Angaben bewirken würden, hat niemand gesehen; das beurteilt die Richtlinie vor dem Start.",
    repeated:
      "Ermittelt beim Vorschlag des Aufrufs. Unmittelbar vor dem Start wird es erneut ermittelt; hat sich der zugrunde liegende Zustand geändert, wird der Aufruf nicht ausgeführt.",
    proposedAt: (at) => `Ermittelt beim Vorschlag des Aufrufs (${at}).`,
  },
  code: {
    title: "Dieser Code ruft anscheinend Folgendes auf",
    line: (line) => `Zeile ${line}`,
    advice: "Durch Lesen des Codes ermittelt, nicht durch Ausführen. Er kann auch andere Werkzeuge aufrufen.",
  },
};
