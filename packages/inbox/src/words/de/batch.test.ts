import { expect, it } from "vitest";
import { de } from "./index.js";

it("the German button of the table names what is approved, changed and denied", () => {
  const label = (approved: number, denied: number, changed = 0, total?: string, votes = 0) =>
    de.batch.decide({ approved, votes, total, changed, denied });
  expect([
    label(9, 1, 1, "225 EUR"),
    label(2, 0),
    label(3, 2, 1),
    label(0, 3),
    label(0, 0),
    label(8, 0, 0, "9 EUR", 2),
  ]).toEqual([
    "9 freigeben (225 EUR, 1 geändert) und 1 ablehnen",
    "2 freigeben",
    "3 freigeben (1 geändert) und 2 ablehnen",
    "3 ablehnen",
    "",
    "8 freigeben (9 EUR), für 2 stimmen",
  ]);
});
