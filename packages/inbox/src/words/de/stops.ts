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
  dialog: {
    title: "Aufrufe sperren",
    what: "Gesperrte Aufrufe starten nicht, solange die Sperre besteht, unabhängig von der Richtlinie. Bereits gestartete Aufrufe laufen weiter. Offene Aufrufe bleiben in der Liste, aber niemand kann sie freigeben.",
    active: "Bestehende Sperren",
  },
  draft: {
    label: "Neue Sperre",
    what: "Was gesperrt wird",
    tool: "Aufrufe eines Werkzeugs",
    all: "Alle Aufrufe",
    toolName: "Werkzeug",
    toolHint: "ein Name oder ein Muster wie refund_*",
    everything: "alles",
    typeWord: "{word} eingeben, um alle Aufrufe zu sperren",
    reason: "Grund",
    reasonHint: "für Menschen sichtbar, nicht für den Agenten",
    stopping: "Aufrufe werden gesperrt",
    stop: "Sperren",
    stopAll: "Alle Aufrufe sperren",
    problems: {
      scope: "Wählen, was gesperrt wird",
      tool: "Den Namen eines Werkzeugs eingeben",
      allTools: "Für alle Werkzeuge „Alle Aufrufe“ wählen",
      word: "Das Wort „alles“ eingeben, um alle Aufrufe zu sperren",
      reason: "Einen Grund eingeben",
    },
  },
  affected: {
    none: "Sie betrifft keinen Aufruf, der auf Sie wartet.",
    some: (count) =>
      `Sie betrifft ${count === 1 ? "einen Aufruf, der auf Sie wartet" : `${countNumber(count)} Aufrufe, die auf Sie warten`}.`,
    moreThan: (count) => `Sie betrifft mehr als ${countNumber(count)} Aufrufe, die auf Sie warten.`,
    onlyYours: "Aufrufe, die nur auf andere warten, sind nicht mitgezählt.",
  },
};
