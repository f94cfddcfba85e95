import { expect, it } from "vitest";
import { de } from "./index.js";

it("the German texts of Insight count in the right form and case", () => {
  const { asked, rules } = de.insight;
  expect([asked(1, 7), asked(12, 30)]).toEqual([
    "In den letzten 7 Tagen wurde 1 Aufruf zur Entscheidung vorgelegt.",
    "In den letzten 30 Tagen wurden 12 Aufrufe zur Entscheidung vorgelegt.",
  ]);
  const firstSentence = (learned: number, tested: number) => rules.basis(learned, tested).split(". ")[0];
  expect([firstSentence(1, 1), firstSentence(20, 5)]).toEqual([
    "Gelernt aus 1 entschiedenen Aufruf, getestet an 1 Aufruf seit {time}",
    "Gelernt aus 20 entschiedenen Aufrufen, getestet an 5 Aufrufen seit {time}",
  ]);
  expect([rules.tested(1), rules.tested(2)]).toEqual([
    "1 späterer Aufruf wurde genauso entschieden.",
    "2 spätere Aufrufe wurden genauso entschieden.",
  ]);
});
