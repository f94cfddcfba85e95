import type { ErrorMessage } from "../en/errors.js";
import { countNumber } from "../locale.js";
import type { Words } from "../words.js";

const byCode: Record<string, ErrorMessage> = {
  unauthenticated: {
    title: "Sie sind abgemeldet",
    advice: "Melden Sie sich wieder an. Ihre Eingaben bleiben erhalten.",
  },
  forbidden: {
    title: "Sie können das nicht entscheiden",
    advice: "Jemand anderes muss entscheiden. Es wurde nichts entschieden.",
  },
  self_approval: {
    title: "Das haben Sie selbst angefordert",
    advice: "Jemand anderes muss es freigeben. Ablehnen können Sie es.",
  },
  wrong_place: {
    title: "Das wird an anderer Stelle entschieden",
    advice: "Es wurde nichts entschieden. Die Regeln nennen einen anderen Ort dafür, etwa Slack.",
  },
  not_found: {
    title: "Nicht gefunden",
    advice: "Das gibt es nicht, oder Sie haben keinen Zugriff darauf.",
  },
  too_late: {
    title: "Zum Zurücknehmen ist es zu spät",
    advice: "Die Entscheidung ist wirksam. Öffnen Sie den Vorgang, um zu sehen, was daraus geworden ist.",
  },
  not_open: {
    title: "Das kann noch nicht entschieden werden",
    advice: "Es wurde nichts entschieden. Warten Sie einen Moment und versuchen Sie es erneut.",
  },
  digest_mismatch: {
    title: "Dieser Vorgang hat sich geändert, seit Sie ihn geöffnet haben",
    advice: "Es wurde nichts entschieden. Laden Sie ihn neu und prüfen Sie ihn noch einmal.",
  },
  digest_changed: {
    title: "Dieser Vorgang wurde in der Datenbank verändert",
    advice: "Es wurde nichts entschieden. Wenden Sie sich an Ihre Administration.",
  },
  stopped: {
    title: "Dieses Werkzeug ist gesperrt",
    advice:
      "Es wurde nichts entschieden. Ihre Eingaben bleiben erhalten. Geben Sie den Vorgang frei, sobald die Sperre aufgehoben ist, oder lehnen Sie ihn ab.",
  },
  stops_not_allowed: {
    title: "Sie können Werkzeuge weder sperren noch entsperren",
    advice: "Es wurde nichts geändert. Fragen Sie jemanden mit passender Rolle.",
  },
  stop_limit: {
    title: "Es bestehen zu viele Sperren",
    advice:
      "Heben Sie eine auf, die nicht mehr gebraucht wird, oder erfassen Sie mehrere Werkzeuge mit einem Muster.",
  },
  withdrawn: {
    title: "Das wurde zurückgezogen",
    advice: "Der Agent braucht es nicht mehr. Es wurde nichts ausgeführt.",
  },
  expired: {
    title: "Das ist abgelaufen",
    advice: "Es wurde nichts ausgeführt. Der Agent kann erneut fragen.",
  },
  decision_not_allowed: {
    title: "Diese Entscheidung ist hier nicht möglich",
    advice: "Es wurde nichts entschieden. Wählen Sie eine andere.",
  },
  edit_not_allowed: {
    title: "Sie können diese Änderungen nicht vornehmen",
    advice:
      "Es wurde nichts entschieden. Ihre Änderungen bleiben erhalten. Ändern Sie weniger, oder lehnen Sie den Vorgang ab.",
  },
  invalid_edit: {
    title: "Diese Änderungen sind ungültig",
    advice:
      "Es wurde nichts entschieden. Ihre Änderungen bleiben erhalten. Berichtigen Sie die markierten Felder.",
  },
  grant_not_allowed: {
    title: "Sie können diese Erlaubnis nicht erteilen",
    advice: "Es wurde nichts entschieden. Diesen einen Vorgang können Sie freigeben.",
  },
  grant_limit: {
    title: "Es bestehen zu viele befristete Erlaubnisse",
    advice:
      "Es wurde nichts entschieden. Widerrufen Sie nicht mehr benötigte, oder geben Sie nur diesen Vorgang frei.",
  },
  too_many_requests: {
    title: "Zu viele Anfragen",
    advice: "Warten Sie einen Moment und versuchen Sie es erneut.",
  },
  invalid_extension: {
    title: "So weit kann die Frist nicht verlängert werden",
    advice: "Es wurde nichts geändert. Wählen Sie eine kürzere Zeit.",
  },
  invalid_snooze: {
    title: "Bis dahin kann es nicht zurückgestellt werden",
    advice: "Es wurde nichts geändert. Wählen Sie einen früheren Zeitpunkt, oder entscheiden Sie jetzt.",
  },
  no_extension_left: {
    title: "Keine Verlängerung mehr möglich",
    advice: "Die Regel erlaubt keine weitere Verlängerung.",
  },
  not_interrupted: { title: "Das wurde nicht unterbrochen", advice: "Es gibt nichts festzuhalten." },
  already_resolved: {
    title: "Das Ergebnis wurde bereits festgehalten",
    advice: "Laden Sie die Seite neu, um es zu sehen.",
  },
  no_rerun: {
    title: "Das kann nicht noch einmal ausgeführt werden",
    advice: "Halten Sie fest, ob es ausgeführt wurde. Der Agent kann dann erneut fragen.",
  },
  invalid_response: {
    title: "Diese Antwort passt nicht zur Frage",
    advice: "Es wurde nichts gesendet. Ihre Antwort bleibt erhalten.",
  },
  database_failed: {
    title: "Der Server konnte das nicht speichern",
    advice: "Ihre Eingaben bleiben erhalten. Versuchen Sie es gleich noch einmal.",
  },
};

export const errors: Words["errors"] = {
  byCode,
  noResponse: {
    title: "Der Server hat nicht geantwortet",
    adviceOnDecision:
      "Ihre Eingaben bleiben erhalten. Sie können es gefahrlos erneut versuchen: Eine Entscheidung zählt nur einmal.",
    adviceOnUndo:
      "Ihre Eingaben bleiben erhalten. Sie können es gefahrlos erneut versuchen: Ein Vorgang wird nur einmal rückgängig gemacht.",
  },
  unknown: {
    title: "Etwas ist schiefgegangen",
    adviceOnDecision: "Es wurde nichts entschieden. Laden Sie die Seite neu.",
    adviceOnUndo: "Ihre Eingaben bleiben erhalten. Laden Sie die Seite neu.",
  },
  edit: {
    needsOthers: (who, reason) =>
      `Dafür ist ${who} nötig${reason && ` (${reason})`}. Ändern Sie weniger, oder weisen Sie den Vorgang neu zu.`,
    someoneElse: "jemand anderes",
    people: (count, who) => `die Freigabe von ${countNumber(count)} Personen${who && ` aus ${who}`}`,
    forbidden: "Die Regeln verbieten diesen Wert. Geben Sie einen anderen ein.",
  },
  detail: (detail) => `${detail} Ihre Eingaben bleiben erhalten.`,
  alreadyDecided: {
    title: (by) =>
      by === undefined ? "Das hat schon jemand entschieden" : `Das hat ${by} schon entschieden`,
    advice: "Ihre Entscheidung wurde nicht gezählt. Ihre Eingaben bleiben erhalten.",
  },
};
