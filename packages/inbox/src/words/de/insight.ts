import { countNumber } from "../locale.js";
import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const insight: Words["insight"] = {
  title: "Zahlen",
  period: "Zeitraum",
  days: (days) => `${days} Tage`,
  loadFailed: {
    title: "Die Zahlen konnten nicht geladen werden",
    advice: "Es wurde nichts geändert. Bitte gleich noch einmal versuchen.",
  },
  none: {
    title: (days) => `Kein Vorgang wartete in den letzten ${days} Tagen auf eine Entscheidung`,
    advice: "Einen längeren Zeitraum wählen oder wiederkommen, wenn etwas entschieden wurde.",
  },
  asked: (calls, days) =>
    `In den letzten ${days} Tagen ${calls === 1 ? "wurde" : "wurden"} ${counted(calls, "Vorgang", "Vorgänge")} zur Entscheidung vorgelegt.`,
  more: "Das sind die neuesten. Ältere Vorgänge dieses Zeitraums sind nicht mitgezählt.",
  toolAndRules: "Werkzeug und Regeln",
  medianWait: "Wartezeit (Median)",
  approved: "Freigegeben",
  denied: "Abgelehnt",
  inHistory: {
    approved: (tool) => `freigegebene Vorgänge (${tool}), im Verlauf`,
    denied: (tool) => `abgelehnte Vorgänge (${tool}), im Verlauf`,
  },
  waits: {
    title: "Wie lange Vorgänge warten",
    byRule: "Nach Werkzeug und Regel, längste Wartezeit zuerst",
    within: "90 % innerhalb von",
    asked: "Gefragt",
    expired: "Abgelaufen",
    byApprover: "Wie schnell jede Person entscheidet",
    approver: "Wer entschieden hat",
    decisions: "Entscheidungen",
    nobody: "In diesem Zeitraum hat niemand etwas entschieden.",
  },
  habits: {
    title: "Wie entschieden wird",
    tooFew:
      "Noch zu wenige Entscheidungen. Ein Werkzeug erscheint hier, sobald mindestens 10 seiner Vorgänge entschieden und alle freigegeben wurden oder mindestens 5 entschieden und 30 % abgelehnt wurden.",
    captions: { always_approved: "Jedes Mal freigegeben", often_denied: "Oft abgelehnt" },
    decided: "Entschieden",
    share: "Anteil",
  },
  rules: {
    missing: {
      auditors_only: "Vorgeschlagene Regeln sehen nur Auditoren, denn sie enthalten Bedingungen der Regeln.",
      no_policy_files: "Regeln werden für Dateien mit Regeln vorgeschlagen. Hier stehen die Regeln im Code.",
    },
    basis: (learned, tested) =>
      `Gelernt aus ${counted(learned, "Entscheidung", "Entscheidungen")}, getestet an ${countNumber(tested)} späteren. Dass immer gleich entschieden wurde, ist noch kein Grund für eine Regel: erst nachfragen. Bis die Datei mit den Regeln bearbeitet wird, ändert sich nichts.`,
    none: "Noch zu wenige Entscheidungen für einen Vorschlag.",
    decidedAlike: {
      notify: (tool, calls) => `${tool}: alle ${countNumber(calls)} dieser Art wurden freigegeben`,
      deny: (tool, calls) => `${tool}: alle ${countNumber(calls)} dieser Art wurden abgelehnt`,
    },
    effect: {
      notify: "Mit dieser Änderung würden sie ohne Entscheidung ausgeführt.",
      deny: "Mit dieser Änderung würden sie sofort abgelehnt.",
    },
    tested: (calls) =>
      calls === 0
        ? "Noch keine spätere Entscheidung hat sie getestet."
        : `${counted(calls, "spätere Entscheidung stimmt", "spätere Entscheidungen stimmen")} mit ihr überein.`,
    latest: "Die neuesten davon:",
    addTo: (file) => `In ${file} einfügen:`,
    setIn: (file, rule) => `In ${file} bei der Regel ${rule} diese Bedingung setzen:`,
    copy: "Kopieren",
    copied: "Kopiert",
    notCopied: "Nicht kopiert. Bitte den Text markieren und kopieren.",
  },
};
