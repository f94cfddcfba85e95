import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const decided: Words["decided"] = {
  status: {
    proposed: "vorgeschlagen",
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
    grant: "durch Dauerfreigabe",
    policy: "durch die Richtlinie",
    person: (id) => `von ${id}`,
  },
  outcome: {
    approved: (by) => `${by} freigegeben`,
    approvedWithChanges: (by, changes) =>
      `${by} mit ${changes === 0 ? "Änderungen" : counted(changes, "Änderung", "Änderungen")} freigegeben`,
    denied: (by) => `${by} abgelehnt`,
    answered: (by) => `${by} beantwortet`,
    declined: (by) => `Antwort abgelehnt ${by}`,
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
  voteCounted: "Ihre Stimme wurde gezählt",
  snoozed: (until) => `Zurückgestellt bis ${until}`,
  heldOwn: {
    approve: "Von Ihnen freigegeben",
    edit: "Von Ihnen mit Änderungen freigegeben",
    deny: "Von Ihnen abgelehnt",
    respond: "Von Ihnen beantwortet",
  },
  heldOther: {
    approve: (who) => `Von ${who} freigegeben`,
    edit: (who) => `Von ${who} mit Änderungen freigegeben`,
    deny: (who) => `Von ${who} abgelehnt`,
    respond: (who) => `Von ${who} beantwortet`,
  },

  quorum: {
    you: "Sie",
    approved: (count, of) => `${count} von ${counted(of, "Freigabe", "Freigaben")}`,
    denied: (count, of) => `${count} von ${counted(of, "Ablehnung", "Ablehnungen")}`,
    rolesNeeded: (roles) => `${roles.join(" oder ")} fehlt noch`,
    moreNeeded: (count) => `${count} weitere nötig`,
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
    length: {
      s: (count) => (count === "1" ? "1 Sekunde" : `${count} Sekunden`),
      m: (count) => (count === "1" ? "1 Minute" : `${count} Minuten`),
      h: (count) => (count === "1" ? "1 Stunde" : `${count} Stunden`),
      d: (count) => (count === "1" ? "1 Tag" : `${count} Tagen`),
      w: (count) => (count === "1" ? "1 Woche" : `${count} Wochen`),
    },
    mayBe: (when) => `Kann ${when} rückgängig gemacht werden`,
    couldBe: (when) => `Hätte ${when} rückgängig gemacht werden können`,
    mark: (when) => `Rückgängig möglich: ${when}`,
    requested: "Rückgängigmachen angefragt",
    undone: "Rückgängig gemacht",
    undoneAt: (time) => `Rückgängig gemacht: ${time}`,
    requestedBy: (who) => `Angefragt von ${who}.`,
    undoRequestedBy: (who) => `Rückgängigmachen angefragt von ${who}.`,
    undoRequested: "Rückgängigmachen angefragt.",
    needsYou: "Ihre Freigabe ist nötig.",
    waitsFor: (approvers) => `Zuständig: ${approvers}.`,
    again: (when) => `Kann ${when} erneut angefragt werden.`,
    overAgain: "Die Frist für eine weitere Anfrage ist abgelaufen.",
    underWay: "Wird gerade rückgängig gemacht.",
    hidden: "Das Rückgängigmachen wurde angefragt. Sie können die Anfrage nicht ansehen.",
    uncertain:
      "Das Rückgängigmachen wurde unterbrochen und ist möglicherweise erfolgt. Bitte die Wirkung prüfen.",
    denied: (who) => `Rückgängigmachen von ${who} abgelehnt`,
    policyDenied: "Rückgängigmachen durch die Richtlinie abgelehnt",
    expired: "Das Rückgängigmachen wurde nicht rechtzeitig freigegeben.",
    withdrawn: "Die Anfrage zum Rückgängigmachen wurde zurückgezogen.",
    failed: "Das Rückgängigmachen wurde ausgeführt und ist fehlgeschlagen.",
    interrupted: "Das Rückgängigmachen wurde unterbrochen und ist nicht erfolgt.",
  },
};
