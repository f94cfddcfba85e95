import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const people: Words["detail"]["people"] = {
  viewing: (names) => `Auch gerade hier: ${names.join(", ")}`,
  assignedToYou: "Ihnen zugewiesen",
  assignedTo: (who) => `Zugewiesen an ${who}`,
  assignToMe: "Mir zuweisen",
  unassign: "Zuweisung aufheben",
  reassign: "Neu zuweisen",
  assign: {
    to: "Zuweisen an",
    id: "ID der Person",
    example: "Zum Beispiel lead",
    find: "Nach Name oder Rolle suchen",
    someoneElse: "Jemand anderes",
    loading: "Personen werden geladen",
    delegates:
      "Diese Person kann unabhängig von ihrer Rolle entscheiden. Sie können auch weiterhin selbst entscheiden.",
    onlyShows: "Der Vorgang wird als zugewiesen angezeigt. Entscheiden können nur die Zuständigen.",
    submit: "Zuweisen",
    sending: "Wird zugewiesen",
  },
  extend: "Verlängern",
  extendBy: { "10m": "Um 10 Minuten", "1h": "Um 1 Stunde", "1d": "Um 1 Tag" },
  extensionsLeft: (count) => `Noch ${counted(count, "Verlängerung", "Verlängerungen")}`,
  snooze: "Zurückstellen",
  snoozeCall: "Diesen Vorgang zurückstellen",
  snoozedUntil: (time) => `Zurückgestellt bis ${time}`,
  snoozeNote: "Bis dahin nicht in der eigenen Liste. Andere sehen den Vorgang weiterhin.",
  endsTooSoon: "Läuft zu bald ab, um zurückgestellt zu werden",
  bringBack: "Jetzt zurückholen",
};
