import type { Words } from "../words.js";

export const signIn: Words["signIn"] = {
  title: "Freigaben",
  why: "Melden Sie sich an, um Ihre offenen Freigaben zu sehen.",
  inHost: "Melden Sie sich in der Anwendung an, zu der diese Seite gehört, und kommen Sie dann zurück.",
  signIn: "Anmelden",
  people: "Anmelden als",
  token: "Token",
  invalidToken: "Dieses Token ist ungültig. Prüfen Sie es und fügen Sie es noch einmal ein.",
  noResponse:
    "Anmelden nicht möglich: Der Server hat nicht geantwortet. Versuchen Sie es gleich noch einmal.",
  ended: "Ihre Sitzung ist beendet",
  goOnAs: (name) => `Melden Sie sich als ${name} an, um fortzufahren. Ihre Eingaben bleiben erhalten.`,
};
