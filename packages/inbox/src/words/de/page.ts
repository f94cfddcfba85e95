import { counted } from "../plural.js";
import type { Words } from "../words.js";

const withChanges = (changes: number) =>
  changes > 0 ? ` mit ${counted(changes, "Änderung", "Änderungen")}` : "";

export const page: Words["page"] = {
  title: "Freigaben",
  notification: "Freigabe nötig",
  batchOutcome: {
    denied: "Abgelehnt",
    approved: (changes) => `Freigegeben${withChanges(changes)}`,
    voted: "Ihre Stimme zählt; weitere sind nötig",
    now: (status, changes) => `Jetzt ${status}${withChanges(changes)}`,
  },
};
