import { countNumber } from "../locale.js";
import { counted } from "../plural.js";
import type { Words } from "../words.js";

export const batch: Words["batch"] = {
  title: (calls) => `${countNumber(calls)} gemeinsam prüfen`,
  loading: (missing, calls) => `${countNumber(missing)} von ${countNumber(calls)} werden geladen`,
  unread: "Zeilen werden beim Lesen abgehakt. Die markierten bitte öffnen.",
  allRead: "Alle sind gelesen.",
  denyReason: "Grund der Ablehnung",
  keys: "{space} auslassen · {d} ablehnen · {enter} öffnen",
  space: "Leertaste",
  close: "Schließen",
  blocked: {
    offline: "Server nicht erreichbar",
    sending: "Entscheidungen werden gesendet",
    arming: "Gleich verfügbar",
    nothing: "Davon kann noch nichts gemeinsam entschieden werden",
  },
  decideNothing: "0 freigeben",
  decide({ approved, votes, total, denied }) {
    const inFavour = [
      approved > 0 && `${countNumber(approved)} freigeben${total === undefined ? "" : ` (${total})`}`,
      votes > 0 && `für ${countNumber(votes)} stimmen`,
    ];
    return [inFavour.filter(Boolean).join(", "), denied > 0 && `${countNumber(denied)} ablehnen`]
      .filter(Boolean)
      .join(" und ");
  },
  decided({ approved, votes, total, denied }) {
    return [
      approved > 0 && [`${countNumber(approved)} freigegeben`, total].filter(Boolean).join(" · "),
      votes > 0 && counted(votes, "Stimme", "Stimmen"),
      denied > 0 && `${countNumber(denied)} abgelehnt`,
    ]
      .filter(Boolean)
      .join(", ");
  },
  table: {
    caption: "{tool} · {calls}",
    captionOfServer: "{tool} des verbundenen Dienstes {server} · {calls}",
    calls: (count) => counted(count, "Vorgang", "Vorgänge"),
    decision: "Entscheidung",
    requester: "für",
    value: "Wert",
    effects: "Wirkung",
    review: "Prüfung",
    total: "Summe",
  },
  row: {
    choice: { approve: "wird freigegeben", deny: "wird abgelehnt", leave: "ausgelassen" },
    approve: (sentence) => `Freigeben: ${sentence}`,
    deny: "Ablehnen",
    nobody: "niemanden",
    sameAs: (row) => `wie Zeile ${countNumber(row)}`,
    becomes: "wird zu",
  },
  cell: {
    timesMedian: (times) => `${times} × so viel wie der Median`,
    none: "nichts",
  },
  review: {
    seen: "Gesehen",
    notRead: "Wird gelesen …",
    openFirst: "Zuerst öffnen",
    openFirstFor: (left) => `Zuerst öffnen: ${left}`,
    openShort: "Öffnen",
    open: (sentence) => `Öffnen: ${sentence}`,
  },
};
