import type { Risk } from "../../api/approval.js";
import { countNumber } from "../locale.js";
import { counted } from "../plural.js";
import type { Words } from "../words.js";

const risk = { low: "niedrig", medium: "mittel", high: "hoch", critical: "kritisch" };
export const lists: Words["lists"] = {
  lists: "Listen",
  titles: {
    for_you: "Für Sie",
    snoozed: "Zurückgestellt",
    waiting: "Wartet auf andere",
    asked: "In Ihrem Auftrag",
    uncertain: "Bitte prüfen",
  },
  empty: {
    for_you: {
      title: "Nichts zu entscheiden",
      text: "Neue Freigaben erscheinen hier, sobald ein Agent eine Entscheidung braucht.",
    },
    snoozed: {
      title: "Nichts zurückgestellt",
      text: "Zurückgestelltes wartet hier bis zum gewählten Zeitpunkt, nur für Sie.",
    },
    waiting: {
      title: "Nichts wartet auf andere",
      text: "Hier erscheint, was Sie entschieden haben und andere noch entscheiden müssen.",
    },
    asked: {
      title: "Nichts in Ihrem Auftrag",
      text: "Was ein Agent in Ihrem Auftrag beantragt, wartet hier auf andere.",
    },
    uncertain: {
      title: "Nichts zu prüfen",
      text: "Was unterbrochen und vielleicht ausgeführt wurde, erscheint hier.",
    },
  },
  signedIn: (id, roles) =>
    `Angemeldet als ${id} (${rolesText(roles)}). Was nur andere sehen dürfen, ist nicht aufgeführt.`,
  day: {
    waitForYou: (count) => `${count} ${count === "1" ? "wartet" : "warten"} auf Sie`,
    start: "Wählen Sie einen aus der Liste, oder drücken Sie {key} für den dringendsten.",
  },
  decidedToday: (count) => `${count} heute entschieden`,
  waitForOthers: (count) => counted(count, "wartet auf andere", "warten auf andere"),
  recent: "Zuletzt entschieden",
  search: "Diese Liste durchsuchen",
  searchHint: "Suchen",
  noMatch: "Keine passenden Vorgänge.",
  found: (count) => `${count} gefunden`,
  showNew: (count) => `${counted(count, "neuen Vorgang", "neue Vorgänge")} anzeigen`,
  filter: "Filtern",
  filters: "Filter",
  filterGroups: { risk: "Risiko", time: "Zeit", tool: "Werkzeug", people: "Personen" },
  endsSoon: { "15m": "Läuft in 15 Min. ab", "1h": "Läuft in 1 Std. ab" },
  assignedToMe: "Mir zugewiesen",
  forRequester: (id) => `Für ${id}`,
  row: {
    select: (sentence) => `Auswählen: ${sentence}`,
    decided: "entschieden",
    risk,
    warnings: (count) => counted(count, "Warnung", "Warnungen"),
    votes: (approved, quorum) => `${approved} von ${quorum}`,
    snoozedUntil: (time) => `zurückgestellt bis ${time}`,
    agent: "Agent",
  },
  group: {
    heading: (calls, requesters) => `${countNumber(calls)} Vorgänge einer Unterhaltung · ${requesters}`,
    select: (calls) => `${countNumber(calls)} auswählen`,
    selected: "Ausgewählt",
  },
  selection: {
    label: "Auswahl",
    selected: (count) => `${countNumber(count)} ausgewählt`,
    opened: (opened, count) => `${countNumber(opened)} von ${countNumber(count)} von Ihnen geöffnet`,
    all: "Alle auswählen",
    clear: "Auswahl aufheben",
    review: "Gemeinsam prüfen",
  },
  snooze: {
    until: (time) => `Bis ${time}`,
    tomorrow: (time) => `Bis morgen, ${time}`,
    beforeEnd: (time) => `10 Minuten vor Ablauf: ${time}`,
  },
};

function rolesText(roles: readonly string[]): string {
  if (roles.length === 0) return "ohne Rolle";
  return `${roles.length === 1 ? "Rolle" : "Rollen"} ${roles.join(", ")}`;
}

/** One of several risks: "Risiko hoch oder kritisch". */
export function riskOf(risks: readonly Risk[]): string {
  return `Risiko ${risks.map((each) => risk[each]).join(" oder ")}`;
}
