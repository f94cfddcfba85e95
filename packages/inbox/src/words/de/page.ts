import type { Words } from "../words.js";

export const page: Words["page"] = {
  title: "Freigaben",
  notification: "Freigabe nötig",
  pages: {
    pending: "Offen",
    history: "Verlauf",
    grants: "Befristete Erlaubnisse",
    insight: "Zahlen",
    suggestions: "Vorgeschlagene Regeln",
    more: "Mehr",
  },
  links: {
    connecting: "Verbindung wird hergestellt",
    live: "Verbunden",
    polling: "Prüft alle 10 Sekunden auf Neues",
    offline: "Getrennt",
  },
  stop: { short: "Sperren", calls: "Werkzeuge sperren" },
  skip: "Zum geöffneten Vorgang springen",
  skipToDecision: "Zur Entscheidung springen",
  offline: {
    title: "Server nicht erreichbar",
    text: "Diese Seite ist möglicherweise veraltet. Ihre Eingaben bleiben erhalten. Entscheiden können Sie, sobald der Server wieder antwortet.",
  },
  noCall: "Vorgang",
  push: {
    risk: {
      low: "Niedriges Risiko",
      medium: "Mittleres Risiko",
      high: "Hohes Risiko",
      critical: "Kritisches Risiko",
    },
    until: (time) => `bis ${time}`,
    deny: "Ablehnen",
    open: "Öffnen",
  },
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
    approved: "Freigegeben",
    voted: "Ihre Stimme zählt; weitere sind nötig",
    now: (status) => `Jetzt ${status}`,
  },
};
