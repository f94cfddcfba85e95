import type { Words } from "../words.js";
import { riskOf } from "./lists.js";

export const history: Words["history"] = {
  title: "Verlauf",
  search: "Verlauf durchsuchen",
  searchHint: "Suchen",
  show: "Anzeigen",
  all: "Alle",
  kinds: {
    ran: "Ausgeführt",
    denied: "Abgelehnt",
    answered: "Beantwortet",
    undecided: "Nicht entschieden",
    interrupted: "Unterbrochen",
  },
  time: "Zeit",
  times: { today: "Heute", yesterday: "Gestern", week: "7 Tage" },
  days: { today: "heute", yesterday: "gestern" },
  noMatch: "Keine passenden Vorgänge.",
  decided: "Entschiedene Vorgänge",
  filters: {
    label: "Aktive Filter",
    remove: "Diesen Filter entfernen",
    removes: "Filter entfernen:",
    tool: (name) => `Werkzeug ${name}`,
    requester: (id) => `Für ${id}`,
    risk: riskOf,
    outcome: {
      decided: "Von einer Person entschieden",
      approved: "Von einer Person freigegeben",
      denied: "Von einer Person abgelehnt",
    },
    days: (days) => (days === "1" ? "Innerhalb von 1 Tag" : `Innerhalb von ${days} Tagen`),
    by: "Von Ihnen entschieden",
    since: (day) => `Entschieden seit ${day}`,
    until: (day) => `Entschieden bis ${day}`,
    before: "Vor einem Vorgang",
    kinds: {
      ran: "ausgeführt",
      denied: "abgelehnt",
      answered: "beantwortet",
      undecided: "nicht entschieden",
      interrupted: "unterbrochen",
    },
  },
};
