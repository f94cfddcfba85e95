import type { Words } from "../words.js";

export const grants: Words["grants"] = {
  title: "Dauerfreigaben",
  show: "Anzeigen",
  active: "Aktive",
  all: "Alle",
  noneActive: "Keine aktiven Dauerfreigaben",
  none: "Noch keine Dauerfreigaben",
  advice:
    "Wenn eine Regel es zulässt, bietet eine Freigabe „Befristet erlauben“ an. Passende Aufrufe werden dann ohne Freigabe ausgeführt, bis die Dauerfreigabe abläuft.",
  grantedBy: "erteilt von {who} mit {approval}",
  thisApproval: "dieser Freigabe",
  revoke: "Widerrufen",
  revokeTitle: "Diese Dauerfreigabe widerrufen?",
  revokeEffect:
    "Passende Aufrufe brauchen danach wieder eine Freigabe. Bereits gestartete Aufrufe werden nicht angehalten.",
};
