import { countNumber } from "../locale.js";
import type { Words } from "../words.js";

export const grantTerms: Words["grantTerms"] = {
  rerun: ({ name }) => `Eine weitere Ausführung eines unterbrochenen Vorgangs (${name})`,
  exact: ({ name }) => `Genau derselbe Vorgang (${name})`,
  any: ({ name }) => `Alle Vorgänge (${name})`,
  matching: ({ name }) => `Passende Vorgänge (${name})`,
  inThread: "in einer Unterhaltung",
  forUser: (who) => `für ${who}`,
  forOnePerson: "für eine Person",
  forTeam: "für alle",
  used: (times) =>
    times === 0 ? "noch nicht genutzt" : times === 1 ? "einmal genutzt" : `${countNumber(times)}-mal genutzt`,
  usesLeft: (used, left) => `${used}, noch ${countNumber(left)} übrig`,
  states: { live: "aktiv", expired: "abgelaufen", used_up: "aufgebraucht", revoked: "widerrufen" },
  revokedBy: (who) => `widerrufen von ${who}`,
};
