import { countNumber } from "../locale.js";
import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const decide: Words["decide"] = {
  copy: "Kopieren",
  next: "Weiter",
  save: "Speichern",
  show: "Anzeigen",
  takeBack: "Zurücknehmen",
  soon: "Gleich verfügbar",
  optional: "optional",

  approve: {
    title: "Freigeben",
    labelled: (label) => `Freigeben: ${label}`,
    // Names of tools are English.
    thing: () => "Freigeben",
    action: () => "Freigeben",
    undo: "Rücknahme freigeben",
    withChanges: (count) => `Freigeben mit ${counted(count, "Änderung", "Änderungen")}`,
    anyway: "Trotzdem freigeben",
    andAllow: (time) => `Freigeben und ${time === undefined ? "" : `${time} lang `}erlauben`,
    withBudget: "Freigeben und Budget gewähren",
    revocable: "Lässt sich jederzeit unter „Befristete Erlaubnisse“ widerrufen.",
    unreviewed: "Noch nicht alles geprüft:",
    type: "Zum Freigeben {text} eingeben",
    holdOn: "Moment …",
    typeFirst: "Zum Bestätigen den Text eingeben",
    again: "Zum Freigeben noch einmal drücken",
    notYet: "Noch nicht freigegeben",
    forAWhile: "Künftig ohne Rückfrage erlauben",
    andFromNowOn: "Diesen Vorgang freigeben und ab jetzt auch:",
    budgetFor: ({ name }) => `Vorgänge (${name}) im Rahmen eines Budgets …`,
  },

  blocked: {
    offline: "Server nicht erreichbar. Entscheiden ist wieder möglich, sobald er antwortet.",
    sending: "Entscheidung wird gesendet",
    problems: "Zuerst die markierten Felder korrigieren",
    checking: "Änderungen werden geprüft",
  },

  deny: {
    title: "Ablehnen",
    instead: "Doch ablehnen",
    reason: "Grund",
    note: "optional, der Agent liest den Grund",
    preset: "Vorgegebene Gründe",
    presets: ["So nicht angefordert", "Falsche Angaben", "Nicht mehr nötig", "Ich erledige das selbst"],
    edit: "Gründe bearbeiten",
    reasonsTitle: "Ablehnungsgründe",
    reasons: "Gründe",
    reasonsNote: "einer pro Zeile; leer lassen, um die Standardgründe wiederherzustellen",
    tooLong: (quoted, max) => `${quoted} ist länger als ${countNumber(max)} Zeichen.`,
    tooMany: (count, max) =>
      `${countNumber(count)} Gründe sind zu viele. Höchstens ${countNumber(max)} sind möglich.`,
    unsent: "Der Grund wurde nicht gesendet: {reason}",
  },

  suggested: {
    exact: () => "Genau dieser Vorgang",
    upTo: ({ name }, argument, limit, same) =>
      `Vorgänge (${name}) mit ${argument} bis ${limit}${same && ` bei sonst gleichen Angaben (${same})`}`,
    whoeverAsks: (requester) => `wer auch immer für ${requester} fragt`,
  },

  answer: {
    title: "Ihre Antwort",
    given: "Antwort",
    decline: "Nicht antworten",
    declineNote: "Der Agent arbeitet ohne Antwort weiter.",
    declined: "Nicht beantwortet",
    confirmed: "Bestätigt",
    send: "Antwort senden",
    result: "Ergebnis",
    resultNote: "Der Agent liest dies als das, was geschehen ist.",
    enterResult: "Ergebnis eingeben",
    sendResult: "Ergebnis senden",
    choose: "Eine Möglichkeit auswählen",
    required: "Pflichtfeld",
    atLeastCharacters: (count) => `Mindestens ${countNumber(count)} Zeichen eingeben`,
    atMostCharacters: (count) => `Höchstens ${countNumber(count)} Zeichen eingeben`,
    email: "E-Mail-Adresse eingeben, zum Beispiel name@example.com",
    url: "Vollständige URL eingeben, zum Beispiel https://example.com",
    wholeNumber: "Ganze Zahl eingeben",
    atLeast: (number) => `Muss mindestens ${number} sein`,
    atMost: (number) => `Darf höchstens ${number} sein`,
  },

  address: {
    open: (host) => `Zuerst oben ${host} öffnen. Danach hier bestätigen.`,
    opened: (host) =>
      `${host} wurde geöffnet. Erledigen Sie dort, was verlangt wird, und bestätigen Sie es danach hier.`,
    openFirst: "Zuerst die Adresse öffnen",
    confirm: "Ich habe sie geöffnet",
    otherAlphabets:
      "Diese Domain enthält Buchstaben anderer Alphabete, hier als „xn--“ geschrieben. Sie kann eine bekannte Domain nachahmen.",
    notTheDomain: (host) =>
      `Was vor dem „@“ steht, ist nicht die Domain. Die Seite gehört zur Domain ${host}.`,
    numeric: "Hier steht eine Zahl anstelle einer Domain. Sie sagt nicht, wem die Seite gehört.",
    notEncrypted:
      "Diese Verbindung ist nicht verschlüsselt. Eingaben auf der Seite können mitgelesen werden.",
  },

  status: {
    offline: "Server nicht erreichbar",
    offlineNote:
      "Eingegebener Text bleibt erhalten. Entscheiden ist wieder möglich, sobald der Server antwortet.",
    ownHeld: (runs) => (runs ? "Startet in wenigen Sekunden." : "Wird in wenigen Sekunden wirksam."),
    otherHeld: "Die andere Person kann die Entscheidung noch einige Sekunden lang zurücknehmen.",
    heldOver: "Kann nicht mehr zurückgenommen werden. Wird wirksam, sobald die Engine wieder da ist.",
    votedToApprove: "Sie haben für die Freigabe gestimmt",
    votedToDeny: "Sie haben für die Ablehnung gestimmt",
    requested: "Von Ihnen angefordert",
    requestedNote: "Das Ergebnis erscheint hier.",
    othersDecide: "Jemand anderes entscheidet",
    othersDecideNote: "Sie können dies ansehen, sind dafür aber nicht zuständig.",
    requestedYourself: "Von Ihnen selbst angefordert",
    requestedYourselfNote: "Jemand anderes muss dies freigeben. Ablehnen ist weiterhin möglich.",
    startsOnce: (others) =>
      others === 1
        ? "Wartet, bis 1 weiterer Vorgang derselben Antwort entschieden ist"
        : `Wartet, bis ${countNumber(others)} weitere Vorgänge derselben Antwort entschieden sind`,
    viewNext: "Den nächsten davon ansehen",
    viewUndo: "Rücknahme ansehen",
    expired: "Während des Lesens abgelaufen",
    withdrawn: "Während des Lesens zurückgezogen",
    decided: "Bereits entschieden",
    decidedBy: (who) => `Bereits entschieden von ${who}`,
    changesNotApplied: "Die Änderungen wurden nicht übernommen:",
  },

  toasts: {
    title: "Ihre letzten Entscheidungen",
    takesEffect: (duration) => `Wirksam in ${duration}`,
    takeAllBack: "Alle zurücknehmen",
    undo: "Zurückholen",
    view: "Ansehen",
  },

  undo: {
    title: "Rückgängig machen",
    call: "Rückgängig machen: {call}",
    run: "Vorgang rückgängig machen",
    reason: "Grund",
    reasonNote: "optional, für das Prüfprotokoll und die Zuständigen",
    reasonKept: "Der Grund steht noch im Feld.",
    offline: "Server nicht erreichbar. Rückgängig machen ist wieder möglich, sobald er antwortet.",
    sending: "Anfrage wird gesendet",
    alreadyRequested: "Die Rücknahme wurde inzwischen angefragt.",
    timeOver: "Die Frist für die Rücknahme ist abgelaufen.",
    impossible: "Rückgängig machen ist nicht mehr möglich.",
  },

  obstacle: {
    not_opened: "Zuerst öffnen",
    too_brief: "Noch einmal öffnen: nur kurz angezeigt",
    critical: "Kritisch: einzeln freigeben",
    check_failed: "Eine Sicherheitsprüfung ist fehlgeschlagen: einzeln freigeben",
    no_preview: "Die Auswirkungen sind unbekannt: einzeln freigeben",
    changed: "Von Ihnen geändert: einzeln freigeben",
    not_yours: "Jemand anderes muss entscheiden",
    closed: "Nicht mehr offen",
    stopped: "Gesperrt",
    not_offered: "Kann nicht freigegeben werden",
  },
  reviewAgain: (left) => `Noch einmal prüfen: ${left}`,
  decidedThis: (who) => `Bereits von ${who} entschieden`,

  card: {
    asks: (asker) => `${asker} stellt eine Frage`,
    facts: "{tool}, für {requester}",
    factsOfUndo: "{tool}, zu einem Vorgang für {requester}",
    hidden: "Einige Werte sind vor Ihnen verborgen",
    hiddenNote: "Zum Freigeben unter „Freigaben“ öffnen, oder hier ablehnen.",
    openInInbox: "In „Freigaben“ öffnen",
  },
};
