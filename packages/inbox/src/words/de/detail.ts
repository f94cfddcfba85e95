import { counted } from "../plural.js";
import type { Words } from "../words.js";
import { facts } from "./detail-facts.js";
import { people } from "./detail-people.js";
import { records } from "./detail-records.js";

export const detail: Words["detail"] = {
  facts,
  people,
  records,
  label: "Vorgang",
  back: "Zurück zur Liste",
  missing: {
    title: "Vorgang nicht gefunden",
    advice: "Er existiert nicht, oder Sie haben keinen Zugriff darauf.",
    noAccess: "Kein Zugriff auf diesen Vorgang",
  },
  print: "Diesen Vorgang drucken",
  asksQuestion: (asker) => `${asker} stellt eine Frage`,
  origin: ({ server, agent, requester, isUndo }) =>
    [
      "{tool}",
      server ? " über den verbundenen Dienst {server}" : "",
      agent ? " durch Agent {agent}" : "",
      requester ? `, ${isUndo ? "zu einem Vorgang " : ""}für {requester}` : "",
    ].join(""),
  why: {
    needs: (people, who, distinctRoles) => {
      const from = distinctRoles ? " mit verschiedenen Rollen" : "";
      if (who === undefined)
        return people === undefined
          ? "Jede angemeldete Person kann freigeben."
          : `Nötig sind ${people}${from}.`;
      return people === undefined ? `Nötig: ${who}.` : `Nötig sind ${people}${from}: ${who}.`;
    },
    notRequester: "Wer gefragt hat, darf nicht freigeben.",
    notified: "Läuft, ohne zu fragen.",
  },
  titles: {
    answer: "Antwort",
    result: "Ergebnis",
    question: "Zu dieser Frage",
    pending: "Was geschehen wird",
    toDo: "Was zu tun ist",
    closed: "Was beantragt wurde",
    trail: "Prüfprotokoll",
  },
  viewCall: "Vorgang ansehen",
  undoes: {
    title: "Macht einen Vorgang rückgängig",
    askedBy: (who) => `Macht einen Vorgang rückgängig, angefragt von ${who}`,
    call: "Der Vorgang: {call}",
  },
  question: {
    asks: (asker) => `${asker} fragt`,
    byServer:
      "Von einem verbundenen Dienst geschrieben, von niemandem geprüft. Nie mit einem Passwort antworten.",
    byModel: "Von der KI geschrieben, von niemandem geprüft. Nie mit einem Passwort antworten.",
  },
  address: {
    advice: "Nur öffnen, wenn die Domain bekannt ist und die Frage zu erwarten war.",
    warnings: "Warnungen zu dieser Adresse",
    whole: "Ganze Adresse",
    open: (host) => `${host} öffnen`,
    inNewTab: "(in neuem Tab)",
  },
  conversation: {
    title: "Was der Agent geschrieben hat",
    notVerified: "Von der KI geschrieben, von niemandem geprüft",
    conversationNotVerified: "Vom Nutzer und von der KI geschrieben, von niemandem geprüft",
    fold: (count) => `Unterhaltung (${counted(count, "Nachricht", "Nachrichten")})`,
    roles: { user: "Nutzer", assistant: "Assistent", tool: "Werkzeug" },
  },
  outcome: {
    title: "Ausgang",
    reason: "Begründung",
    changes: "Änderungen",
    started: "Gestartet",
    result: "Ergebnis des Werkzeugs",
    rawResult: "Ergebnis als Rohdaten",
    answer: "Antwort",
  },
  terms: {
    whyAsked: "Warum eine Person gefragt wird",
    rules: "Regeln",
    rule: "Regel {rule}",
    budget: "Budget",
    whoAnswers: "Wer antworten kann",
    anyone: "Jede angemeldete Person",
    whoGetsAnswer: "Wer die Antwort erhält",
    howItRuns: "Ausführung",
    manualForYou: "Sie erledigen das selbst und schreiben dann, was daraus wurde.",
    manual: "Eine Person erledigt das und schreibt dann, was daraus wurde.",
    votes: "Stimmen",
    undo: "Rückgängig machen",
    duplicate: "Doppelter Vorgang",
    oneDecision: "Derselbe Vorgang ist bereits offen. Eine Entscheidung gilt für beide.",
  },
  adds: {
    people: (count) =>
      count === 1
        ? "eine Person"
        : `${["keine", "eine", "zwei", "drei", "vier", "fünf"][count] ?? count} Personen`,
    distinctRoles: "mit verschiedenen Rollen",
    notRequester: "wer gefragt hat, darf nicht freigeben",
    // A duration after "innerhalb von" would need another case: "2 Tagen".
    within: (time) => `Frist ${time}`,
    anyone: "jede angemeldete Person",
    or: (names, last) => `${names} oder ${last}`,
  },
  interrupted: {
    title: "Wir wissen nicht, ob dies ausgeführt wurde",
    resolved: {
      done: "Unterbrochen; eine Person hat bestätigt, dass der Vorgang ausgeführt wurde",
      failed: "Unterbrochen; eine Person hat bestätigt, dass der Vorgang nicht ausgeführt wurde",
      rerun: "Unterbrochen; eine Person hat eine weitere Ausführung erlaubt",
    },
    happened: (startedAt) =>
      `Der Vorgang wurde freigegeben und gestartet${startedAt === undefined ? "" : ` (${startedAt})`}, aber sein Prozess endete, bevor das Ergebnis vorlag. Er wurde nicht erneut gestartet.`,
    advice:
      "Bitte im betroffenen System nachsehen und das Ergebnis hier festhalten. Dem Agenten wurde mitgeteilt, dass der Ausgang ungewiss ist.",
    note: "Was festgestellt wurde",
    optional: "· optional",
    saving: "Das Ergebnis wird gespeichert",
    outcomes: {
      done: {
        verb: "Wurde ausgeführt",
        means: "Der Vorgang ist wirksam geworden. Nichts muss erneut ausgeführt werden.",
      },
      failed: {
        verb: "Wurde nicht ausgeführt",
        means: "Der Vorgang hatte keine Wirkung, und dabei soll es bleiben.",
      },
      rerun: {
        verb: "Erneut ausführen",
        means: "Der Vorgang hatte keine Wirkung. Er kann noch einmal ausgeführt werden.",
      },
    },
  },
};
