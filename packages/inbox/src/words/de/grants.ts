import type { Words } from "../words.js";

export const grants: Words["grants"] = {
  title: "Befristete Erlaubnisse",
  show: "Anzeigen",
  active: "Aktive",
  all: "Alle",
  noneActive: "Keine aktiven Erlaubnisse",
  none: "Noch keine Erlaubnisse",
  advice:
    "Wenn eine Regel es zulässt, bietet eine Freigabe „Künftig ohne Rückfrage erlauben“ an. Passende Vorgänge werden dann ohne Freigabe ausgeführt, bis die Erlaubnis abläuft.",
  grantedBy: "erteilt von {who} mit {approval}",
  thisApproval: () => "diesem Vorgang",
  revoke: "Widerrufen",
  revokeTitle: "Diese Erlaubnis widerrufen?",
  revokeEffect:
    "Passende Vorgänge brauchen danach wieder eine Freigabe. Bereits gestartete werden nicht angehalten.",
};
