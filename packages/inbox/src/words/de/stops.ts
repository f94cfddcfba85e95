import { countNumber } from "../locale.js";
import type { Words } from "../words.js";

export const stops: Words["stops"] = {
  stoppedBy: (who, reason) => `Gesperrt von ${who}: ${reason}`,
  allCalls: "alles",
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
  releaseReason: "Warum dies wieder starten kann",
  releasing: "Die Sperre wird aufgehoben",
  dialog: {
    title: "Werkzeuge sperren",
    what: "Nichts dieser Art startet, bis Sie die Sperre aufheben. Was schon läuft, wird nicht unterbrochen. Wartende Vorgänge bleiben in der Liste, können aber nicht freigegeben werden.",
    active: "Bestehende Sperren",
  },
  draft: {
    label: "Neue Sperre",
    what: "Was gesperrt wird",
    tool: "Ein Werkzeug oder mehrere",
    all: "Alles",
    toolName: "Werkzeug",
    toolHint: "ein Name oder ein Muster wie refund_*",
    everything: "alles",
    typeWord: "{word} eingeben, um alles zu sperren",
    reason: "Grund",
    reasonHint: "für Menschen sichtbar, nicht für den Agenten",
    stopping: "Wird gesperrt",
    stop: "Sperren",
    stopAll: "Alles sperren",
    problems: {
      scope: "Wählen, was gesperrt wird",
      tool: "Den Namen eines Werkzeugs eingeben",
      allTools: "Für alle Werkzeuge „Alles“ wählen",
      word: "Das Wort „alles“ eingeben, um alles zu sperren",
      reason: "Einen Grund eingeben",
    },
  },
  affected: {
    none: "Sperrt nichts, was auf Sie wartet",
    some: (count) =>
      `Sperrt ${count === 1 ? "1 Vorgang, der auf Sie wartet" : `${countNumber(count)} Vorgänge, die auf Sie warten`}`,
    moreThan: (count) => `Sperrt mehr als ${countNumber(count)} Vorgänge, die auf Sie warten`,
    onlyYours: "(die der anderen nicht mitgezählt).",
  },
};
