import { countNumber } from "../locale.js";
import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const records: Words["detail"]["records"] = {
  trail: {
    later: (time) => `· ${time} später`,
    asked: (who) => `Gefragt: ${who.join(", ")}`,
    alsoAsked: (who) => `Zusätzlich gefragt: ${who.join(", ")}`,
    askedForUndo: (who) => `${who} hat die Rücknahme angefragt`,
    askedAndAllowed: (who) => `${who} hat die Rücknahme angefragt, und die Regeln haben sie erlaubt`,
  },
  integrity: {
    states: { intact: "Verifiziert", broken: "Verifizierung fehlgeschlagen", unknown: "Nicht verifiziert" },
    intact: (entries) =>
      `Jeder Eintrag trägt einen Hash über sich und den Eintrag davor. Dieser Browser hat ${
        entries === 1
          ? "den Hash des einen Eintrags hier nachgerechnet; er stimmt"
          : `die Hashes der ${countNumber(entries)} Einträge hier nachgerechnet; alle stimmen`
      }.`,
    broken: (position) =>
      `Eintrag ${position} passt nicht zu seinem Hash: Er wurde nachträglich geändert. Bitte an die Administration wenden.`,
    unknown:
      "Dieser Browser berechnet Hashes nur über eine sichere Verbindung und konnte die Einträge deshalb nicht verifizieren.",
    logIntact: (entries) =>
      `Der Server hat das gesamte Prüfprotokoll geprüft: ${
        entries === 1
          ? "Der eine Eintrag passt zu seinem Hash"
          : `Alle ${countNumber(entries)} Einträge passen zu ihren Hashes`
      }.`,
    logBroken: (position, message) =>
      `Der Server hat das gesamte Prüfprotokoll geprüft und bei Eintrag ${position} ein Problem gefunden: ${message}`,
    last: (position) => `Letzter Eintrag ${position}, Hash {hash}`,
  },
  messages: {
    title: (count) => `Nachrichten (${countNumber(count)})`,
    undelivered: (count) =>
      count === 1
        ? "Eine Nachricht konnte nicht zugestellt werden"
        : `${countNumber(count)} Nachrichten konnten nicht zugestellt werden`,
    seeReason: "Der Grund steht unten unter „Nachrichten“.",
    mayNotKnow: "Die Empfänger wissen möglicherweise nichts von diesem Vorgang.",
    sendAgain: "Erneut senden",
    to: (place) => `an ${place}`,
    sendingAgain: "Wird erneut gesendet",
    events: {
      "approval.pending": "Wartet auf eine Entscheidung",
      "approval.reminded": "Erinnerung",
      "approval.escalated": "Eskalation",
      "approval.assigned": "Zuweisung",
      "approval.voted": "Stimme",
      "approval.extended": "Verlängerung",
      "approval.decided": "Entscheidung",
      "approval.expired": "Abgelaufen",
      "approval.withdrawn": "Zurückgezogen",
      "approval.started": "Gestartet",
      "approval.finished": "Beendet",
      "approval.undone": "Rückgängig gemacht",
    },
    inRoundup: (event) => `${event}, in einer Nachricht mit anderen Vorgängen`,
    sent: "Gesendet",
    sentAt: (time) => `Gesendet ${time}`,
    failed: (attempts) => `Nach ${counted(attempts, "Versuch", "Versuchen")} fehlgeschlagen`,
    abandoned: "Nicht gesendet, weil der Vorgang beendet war",
    skipped: "Nicht gesendet",
    sending: "Wird gesendet",
    updating: "Wird aktualisiert",
    attemptFailed: (attempt) => `Versuch ${attempt} fehlgeschlagen`,
    nextAttempt: (attempt, time) => `Versuch ${attempt} fehlgeschlagen, nächster Versuch: ${time}`,
  },
  history: {
    noOthers: (_call, requester) =>
      `Erster Vorgang dieser Art für ${requester} in 30 Tagen, soweit für Sie sichtbar`,
    others: (_call, count, orMore, requester) =>
      `${orMore ? "Mindestens " : ""}${counted(count, "weiterer Vorgang", "weitere Vorgänge")} für ${requester} in 30 Tagen`,
    approved: (count) => `${countNumber(count)} freigegeben`,
    denied: (count) => `${countNumber(count)} abgelehnt`,
    newValue: (argument) => `${argument}: neuer Wert, bisher bei keinem freigegebenen Vorgang`,
    times: (times, median, argument) =>
      `${argument === undefined ? "" : `${argument}: `}${times}-mal so viel wie üblich (${median})`,
  },
};
