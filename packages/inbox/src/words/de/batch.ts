import { countNumber } from "../locale.js";
import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const batch: Words["batch"] = {
  title: (calls) => `${countNumber(calls)} gemeinsam prüfen`,
  loading: (missing, calls) => `${countNumber(missing)} von ${countNumber(calls)} werden geladen`,
  unread:
    "Eine Zeile gilt als gelesen, wenn sie kurz ganz zu sehen war. Zeilen mit langen Werten oder Warnungen zuerst öffnen.",
  allRead: "Alle sind gelesen.",
  denyReason: "Grund der Ablehnung",
  keys: "{space} auslassen · {d} ablehnen",
  keysWithEdit: "{space} auslassen · {d} ablehnen · {e} bearbeiten",
  space: "Leertaste",
  close: "Schließen",
  blocked: {
    offline: "Server nicht erreichbar",
    sending: "Entscheidungen werden gesendet",
    editing: "Zuerst die Änderung abschließen: Eingabe übernimmt sie, Esc verwirft sie",
    checking: "Änderungen werden geprüft",
    arming: "Gleich verfügbar",
    nothing: "Davon kann noch nichts gemeinsam entschieden werden",
  },
  decideNothing: "0 freigeben",
  decide({ approved, votes, total, changed, denied }) {
    const details = [total, changed > 0 && `${countNumber(changed)} geändert`].filter(Boolean).join(", ");
    const inFavour = [
      approved > 0 && `${countNumber(approved)} freigeben${details && ` (${details})`}`,
      votes > 0 && `für ${countNumber(votes)} stimmen`,
    ];
    return [inFavour.filter(Boolean).join(", "), denied > 0 && `${countNumber(denied)} ablehnen`]
      .filter(Boolean)
      .join(" und ");
  },
  table: {
    caption: "{tool} · {calls}",
    captionOfServer: "{tool} des MCP-Servers {server} · {calls}",
    calls: (count) => counted(count, "Aufruf", "Aufrufe"),
    decision: "Entscheidung",
    requester: "für",
    value: "Wert",
    effects: "würde ändern",
    review: "Prüfung",
    total: "Summe",
  },
  row: {
    choice: { approve: "wird freigegeben", deny: "wird abgelehnt", leave: "ausgelassen" },
    approve: (sentence) => `Freigeben: ${sentence}`,
    deny: "Ablehnen",
    changed: (name, value) => `mit ${name} ${value}`,
    nobody: "niemanden",
    sameAs: (row) => `wie Zeile ${countNumber(row)}`,
    effectsOfProposal: "Wie vorgeschlagen, ohne die Änderung",
    becomes: "wird zu",
  },
  cell: {
    before: "bisher",
    after: "neu",
    edit: (name, sentence) => `${name} bearbeiten: ${sentence}`,
    timesMedian: (times) => `${times} × so viel wie der Median`,
    none: "nichts",
  },
  review: {
    seen: "Gesehen",
    notRead: "Noch nicht gelesen",
    openFirst: "Zuerst öffnen",
    openFirstFor: (left) => `Zuerst öffnen: ${left}`,
    checking: "Änderung wird geprüft",
    invalid: (problem) => `Freigabe nicht möglich: ${problem}`,
    waitsAgain: "Wartet wieder",
    takeBack: "Zurücknehmen",
    takingBack: "Wird zurückgenommen",
  },
  locked: {
    decided: "Dieser Aufruf ist entschieden und nicht mehr änderbar",
    notYours: "Diesen Aufruf muss jemand anderes entscheiden",
    nothingOpen: "Die Regel lässt keine Änderungen zu",
    absent: "Dieser Aufruf hat keine solche Angabe",
    hidden: "Der Wert ist vor Ihnen verborgen und daher nicht änderbar",
    notOpen: "Die Regel lässt keine Änderung dieser Angabe zu",
    noneOpen: "Die Regel lässt bei diesem Aufruf keine Änderungen zu",
    gone: "Dieser Aufruf ist nicht mehr in der Tabelle",
  },
};
