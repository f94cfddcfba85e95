import { expect, it } from "vitest";
import { de } from "./index.js";

it("the German texts of Insight count in the right form and case", () => {
  const { asked, rules } = de.insight;
  expect([asked(1, 7), asked(12, 30)]).toEqual([
    "In den letzten 7 Tagen wurde 1 Vorgang zur Entscheidung vorgelegt.",
    "In den letzten 30 Tagen wurden 12 Vorgänge zur Entscheidung vorgelegt.",
  ]);
  const firstSentence = (learned: number, tested: number) => rules.basis(learned, tested).split(". ")[0];
  expect([firstSentence(1, 1), firstSentence(20, 5)]).toEqual([
    "Gelernt aus 1 Entscheidung, getestet an 1 späteren",
    "Gelernt aus 20 Entscheidungen, getestet an 5 späteren",
  ]);
  expect([rules.tested(1), rules.tested(2)]).toEqual([
    "1 spätere Entscheidung stimmt mit ihr überein.",
    "2 spätere Entscheidungen stimmen mit ihr überein.",
  ]);
});
