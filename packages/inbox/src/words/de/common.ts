import type { Words } from "../words.js";

export const common: Words["common"] = {
  close: "Schließen",
  cancel: "Abbrechen",
  loading: "Wird geladen",
  loadingApproval: "Vorgang wird geladen",
  tryAgain: "Erneut versuchen",
  risk: {
    low: "niedriges Risiko",
    medium: "mittleres Risiko",
    high: "hohes Risiko",
    critical: "kritisches Risiko",
  },
  partMissing: {
    title: "Ein Teil dieser Seite konnte nicht geladen werden",
    advice:
      "Es wurde nichts entschieden. Die Seite neu laden, sobald der Server antwortet. Nicht gesendete Eingaben gehen dabei verloren.",
    reload: "Neu laden",
  },
};
