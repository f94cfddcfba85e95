import { expect, it } from "vitest";
import { de } from "./index.js";

it("the German button of the table names what is approved and denied, and the message what was", () => {
  const texts = (approved: number, denied: number, total?: string, votes = 0) => {
    const counts = { approved, votes, total, denied };
    return [de.batch.decide(counts), de.batch.decided(counts)];
  };
  expect([texts(9, 1, "225 EUR"), texts(2, 0), texts(0, 3), texts(0, 0), texts(8, 0, "9 EUR", 2)]).toEqual([
    ["9 freigeben (225 EUR) und 1 ablehnen", "9 freigegeben · 225 EUR, 1 abgelehnt"],
    ["2 freigeben", "2 freigegeben"],
    ["3 ablehnen", "3 abgelehnt"],
    ["", ""],
    ["8 freigeben (9 EUR), für 2 stimmen", "8 freigegeben · 9 EUR, 2 Stimmen"],
  ]);
});
