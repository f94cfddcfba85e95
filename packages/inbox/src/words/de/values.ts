import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const values: Words["values"] = {
  nothing: "nichts",
  emptyText: "leerer Text",
  yes: "ja",
  no: "nein",
  hidden: "Vor Ihnen verborgen. Die Freigabe gilt auch dafür.",

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
    folds: (count) => counted(count, "langer Text nicht geöffnet", "lange Texte nicht geöffnet"),
    warnings: (count) => counted(count, "Warnung zu prüfen", "Warnungen zu prüfen"),
    values: (count) =>
      counted(count, "Angabe weiter unten noch nicht gesehen", "Angaben weiter unten noch nicht gesehen"),
    effects: (count) =>
      counted(count, "Wirkung weiter unten noch nicht gesehen", "Wirkungen weiter unten noch nicht gesehen"),
  },

  question: {
    agent: "Der Agent",
    mcpServer: (name) => name,
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
    title: "Budget für spätere Vorgänge",
    explained: ({ name }) =>
      `Spätere Vorgänge (${name}) werden ohne Freigabe ausgeführt, unabhängig von ihren anderen Angaben, bis das Gesamtbudget verbraucht ist. Unter „Befristete Erlaubnisse“ lässt sich das jederzeit widerrufen.`,
    amount: "Betrag",
    total: "Gesamtbudget",
    each: "Höchstens je Vorgang (optional)",
    unit: "Einheit (optional)",
    time: "Dauer",
    scope: "Wessen Vorgänge",
    times: { "8h": "8 Stunden", "24h": "1 Tag", "7d": "7 Tage", "30d": "30 Tage" },
    scopes: {
      thread: "in dieser Unterhaltung",
      user: (requester) => `für ${requester}`,
      team: "für alle im Team",
    },
    enterTotal: (example) => `Gesamtbudget als Zahl eingeben, z. B. ${example}`,
    enterAmounts: (whole, cents) => `Beträge als Zahlen eingeben, z. B. ${whole} oder ${cents}`,
    eachTooLarge: "Der Höchstbetrag je Vorgang darf das Gesamtbudget nicht übersteigen",
  },
};
