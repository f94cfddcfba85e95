import { counted } from "../plural.js";
import type { Words } from "../words.js";

const withChanges = (changes: number) =>
  changes > 0 ? ` mit ${counted(changes, "Änderung", "Änderungen")}` : "";

export const page: Words["page"] = {
  title: "Freigaben",
  notification: "Freigabe nötig",
  you: "Sie",
  menuOf: (name) => `${name}, Menü`,
  menu: {
    theme: "Design",
    themes: { system: "Wie das System", light: "Hell", dark: "Dunkel" },
    language: "Sprache",
    automatic: "Sprache automatisch",
    notify: "Auf diesem Gerät benachrichtigen",
    keys: "Tastenkürzel",
    signOut: "Abmelden",
  },
  notifications: {
    unsupported: "Von diesem Browser nicht unterstützt",
    blocked: "In den Einstellungen des Browsers gesperrt",
  },
  nothingHere: {
    title: "Hier ist nichts",
    why: "Unter dieser Adresse gibt es keine Seite.",
    back: "Zu den Freigaben",
  },
  batchOutcome: {
    denied: "Abgelehnt",
    approved: (changes) => `Freigegeben${withChanges(changes)}`,
    voted: "Ihre Stimme zählt; weitere sind nötig",
    now: (status, changes) => `Jetzt ${status}${withChanges(changes)}`,
  },
};
