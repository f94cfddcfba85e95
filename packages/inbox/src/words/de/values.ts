import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const values: Words["values"] = {
  nothing: "nichts",
  emptyText: "leerer Text",
  yes: "ja",
  no: "nein",
  hidden: "vor Ihnen verborgen · in der Freigabe enthalten",

  changes: "Änderungen",
  was: "bisher",
  willBe: "neu",

  folded: {
    gap: (count) => `${count} Zeichen ausgeblendet`,
    showAll: (count) => `Alle ${count} Zeichen anzeigen`,
    showLess: "Weniger anzeigen",
  },

  notShown: (characters) => `(nicht angezeigt: ${characters})`,
  mixedAlphabets: "verschiedene Alphabete",
  looksLike: (other) => `sieht aus wie ${other}`,

  unreviewed: {
    folds: (count) => counted(count, "langer Wert nicht geöffnet", "lange Werte nicht geöffnet"),
    warnings: (count) => counted(count, "Warnung nicht geprüft", "Warnungen nicht geprüft"),
    values: (count) => counted(count, "Angabe noch nicht gesehen", "Angaben noch nicht gesehen"),
    effects: (count) => counted(count, "Auswirkung noch nicht gesehen", "Auswirkungen noch nicht gesehen"),
  },

  question: {
    agent: "Der Agent",
    mcpServer: (name) => `Der MCP-Server ${name}`,
  },

  editing: {
    enterNumber: (example) => `Zahl eingeben, z. B. ${example}`,
    tooManyDigits: "Diese Zahl hat zu viele Stellen, um genau gesendet zu werden",
    numberTooLarge: "Eine Zahl darin ist zu groß",
    invalidJson: "Kein gültiges JSON",
    timesMore: (factor, before) => `${factor}-mal so viel wie ${before}`,
    timesLess: (factor, before) => `${before} ist ${factor}-mal so viel`,
  },

  budget: {
    title: "Budget für spätere Aufrufe",
    explained: (tool) =>
      `Spätere Aufrufe von ${tool} werden ohne Freigabe ausgeführt, unabhängig von ihren anderen Angaben, bis das Gesamtbudget verbraucht ist. Unter „Dauerfreigaben“ lässt sich das jederzeit widerrufen.`,
    amount: "Betrag",
    total: "Gesamtbudget",
    each: "Höchstens je Aufruf (optional)",
    unit: "Einheit (optional)",
    time: "Dauer",
    scope: "Wessen Aufrufe",
    times: { "8h": "für 8 Stunden", "24h": "für einen Tag", "7d": "für 7 Tage", "30d": "für 30 Tage" },
    scopes: {
      thread: "in dieser Unterhaltung",
      user: (requester) => `für ${requester}`,
      team: "für alle im Team",
    },
    enterTotal: (example) => `Gesamtbudget als Zahl eingeben, z. B. ${example}`,
    enterAmounts: (whole, cents) => `Beträge als Zahlen eingeben, z. B. ${whole} oder ${cents}`,
    eachTooLarge: "Der Höchstbetrag je Aufruf darf das Gesamtbudget nicht übersteigen",
  },
};
