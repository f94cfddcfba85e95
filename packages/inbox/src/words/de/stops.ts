import { countNumber } from "../locale.js";
import type { Words } from "../words.js";

export const stops: Words["stops"] = {
  stoppedBy: (who, reason) => `Gesperrt von ${who}: ${reason}`,
  allCalls: "alle Aufrufe",
  callsOf: (tools) => `Aufrufe von ${tools}`,
  covers: (calls) => `Die Sperre gilt für ${calls}. Freigeben ist erst möglich, wenn sie aufgehoben ist.`,
  others: (count) =>
    count === 1 ? "Es gibt eine weitere Sperre." : `Es gibt ${countNumber(count)} weitere Sperren.`,
  show: "Sperren anzeigen",
  notYet: "Freigeben ist erst möglich, wenn die Sperre aufgehoben ist.",
  mayDeny: "Ablehnen ist weiterhin möglich.",
  engaged: "Gesperrt von {who}, {time}",
  engagedForAll:
    "Gesperrt von {who}, {time}. Die Sperre gilt für alle Mandanten, und nur der Betreiber kann sie aufheben",
  release: "Aufheben",
  releaseOf: (calls) => `Sperre aufheben: ${calls}`,
  releaseReason: "Warum diese Aufrufe wieder starten können",
  releasing: "Die Sperre wird aufgehoben",
  cancel: "Abbrechen",
};
