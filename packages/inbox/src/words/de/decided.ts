import { counted } from "../plural.js";
import type { Words } from "../words.js";

const numberWords = ["null", "eine", "zwei", "drei", "vier", "fünf"];

function numberWord(count: number): string {
  return numberWords[count] ?? String(count);
}

export const decided: Words["decided"] = {
  status: {
    proposed: "beantragt",
    pending: "offen",
    approved: "freigegeben",
    denied: "abgelehnt",
    responded: "beantwortet",
    expired: "abgelaufen",
    withdrawn: "zurückgezogen",
    executing: "läuft",
    executed: "ausgeführt",
    failed: "fehlgeschlagen",
    interrupted: "unterbrochen",
  },

  by: {
    you: "von Ihnen",
    grant: "durch befristete Erlaubnis",
    policy: "durch die Regeln",
    person: (id) => `von ${id}`,
  },
  outcome: {
    approved: (by) => `${by} freigegeben`,
    approvedWithChanges: (by, changes) =>
      `${by} mit ${changes === 0 ? "Änderungen" : counted(changes, "Änderung", "Änderungen")} freigegeben`,
    denied: (by) => `${by} abgelehnt`,
    answered: (by) => `${by} beantwortet`,
    declined: (by) => `${by} nicht beantwortet`,
    allowedUnasked: "ohne Rückfrage erlaubt",
    undecided: "nicht rechtzeitig entschieden",
    notStarted: "noch nicht gestartet",
    running: "läuft",
    ran: "ausgeführt",
    ranUnasked: "ohne Rückfrage ausgeführt",
    ranAndFailed: "ausgeführt und fehlgeschlagen",
    interrupted: "unterbrochen",
    mayHaveRun: "unterbrochen, möglicherweise ausgeführt",
    expired: "abgelaufen",
    withdrawn: (cause) => `zurückgezogen: ${cause}`,
  },
  resolution: {
    done: "nach Bestätigung durch eine Person ausgeführt",
    failed: "nach Bestätigung durch eine Person nicht ausgeführt",
    rerun: "eine Person hat eine weitere Ausführung erlaubt",
  },

  expired: {
    at: (time) => `Abgelaufen: ${time}.`,
    unused: "Freigegeben, aber vom Lauf nie gestartet.",
    plain: "Abgelaufen.",
    mayAskAgain: "Der Agent kann erneut fragen.",
    unanswered: "Der Agent weiß, dass niemand geantwortet hat, und kann erneut fragen.",
    undecided:
      "Nicht ausgeführt. Der Agent weiß, dass niemand rechtzeitig entschieden hat, und kann erneut fragen.",
  },

  made: {
    approve: "Freigegeben",
    edit: "Mit Änderungen freigegeben",
    deny: "Abgelehnt",
    respond: "Beantwortet",
  },
  requested: "beantragt:",
  votedToDeny: "Sie haben für die Ablehnung gestimmt",
  voted: (more) =>
    `Sie haben freigegeben. ${more === 1 ? "1 weitere Person" : `${more} weitere Personen`} nötig.`,
  snoozed: (until) => `Zurückgestellt bis ${until}`,
  heldOwn: {
    approve: "Freigegeben",
    edit: "Mit Änderungen freigegeben",
    deny: "Abgelehnt",
    respond: "Beantwortet",
  },
  heldOther: {
    approve: (who) => `Von ${who} freigegeben`,
    edit: (who) => `Von ${who} mit Änderungen freigegeben`,
    deny: (who) => `Von ${who} abgelehnt`,
    respond: (who) => `Von ${who} beantwortet`,
  },

  quorum: {
    you: "Sie",
    approved: (count, of) =>
      count === 0 ? "Noch niemand hat freigegeben" : `${count} von ${counted(of, "Freigabe", "Freigaben")}`,
    denied: (count, of) => `${count} von ${counted(of, "Ablehnung", "Ablehnungen")}`,
    rolesNeeded: (count, roles) =>
      count === 1
        ? `Noch nötig: ${roles.join(" oder ")}`
        : `Noch nötig: ${numberWord(count)} von ${roles.join(", ")}`,
    moreNeeded: (count) => `Noch nötig: ${numberWord(count)} ${count === 1 ? "Person" : "Personen"}`,
    differentRoles: "mit verschiedenen Rollen",
  },

  earlier: {
    executed: (ago, by) => `Derselbe Vorgang wurde${ago} ausgeführt${by}`,
    failed: (ago, by) => `Derselbe Vorgang wurde${ago} ausgeführt und ist fehlgeschlagen${by}`,
    responded: (ago, by) => `Derselbe Vorgang wurde${ago}${by} beantwortet`,
    executing: (_ago, by) => `Derselbe Vorgang läuft gerade${by}`,
    interrupted: (ago, by) => `Derselbe Vorgang wurde${ago} unterbrochen und möglicherweise ausgeführt${by}`,
  },
  earlierBy: {
    approved: (who) => `, freigegeben ${who}`,
    answered: (who) => ` ${who}`,
  },

  undo: {
    until: (time) => `bis ${time}`,
    anyTime: "jederzeit",
    anyTimeAfter: "jederzeit nach der Ausführung",
    within: (length) => `innerhalb von ${length} nach der Ausführung`,
    youMay: (when) => `Sie können dies ${when} rückgängig machen.`,
    mayBe: (when) => `Kann ${when} rückgängig gemacht werden`,
    couldBe: (when) => `Hätte ${when} rückgängig gemacht werden können`,
    mark: (when) => `Rückgängig möglich: ${when}`,
    requested: "Rücknahme angefragt",
    undone: "Rückgängig gemacht",
    undoneAt: (time) => `Rückgängig gemacht: ${time}`,
    requestedBy: (who) => `Angefragt von ${who}.`,
    undoRequestedBy: (who) => `Rücknahme angefragt von ${who}.`,
    undoRequested: "Rücknahme angefragt.",
    needsYou: "Ihre Freigabe ist nötig.",
    waitsFor: (approvers) => `Zuständig: ${approvers}.`,
    again: (when) => `Kann ${when} erneut angefragt werden.`,
    overAgain: "Die Frist für eine weitere Anfrage ist abgelaufen.",
    underWay: "Wird gerade rückgängig gemacht.",
    hidden: "Die Rücknahme wurde angefragt. Sie können die Anfrage nicht ansehen.",
    uncertain: "Die Rücknahme wurde unterbrochen und ist möglicherweise erfolgt. Bitte die Wirkung prüfen.",
    denied: (who) => `Rücknahme von ${who} abgelehnt`,
    policyDenied: "Rücknahme durch die Regeln abgelehnt",
    expired: "Die Rücknahme wurde nicht rechtzeitig freigegeben.",
    withdrawn: "Die Anfrage zur Rücknahme wurde zurückgezogen.",
    failed: "Die Rücknahme wurde ausgeführt und ist fehlgeschlagen.",
    interrupted: "Die Rücknahme wurde unterbrochen und ist nicht erfolgt.",
  },
};
