import { describe, expect, it } from "vitest";
import { budgetText, overBudgetText } from "./budget-text.js";

const budget = { total: 2000, used: 1340, each: null, unit: "EUR" };

describe("the text of a budget", () => {
  it("says how much is used, in full numbers", () => {
    expect(budgetText(budget)).toBe("1,340 of 2,000 EUR used");
    expect(budgetText({ ...budget, used: 0.1, each: 99.5, unit: null })).toBe(
      "0.10 of 2,000 used, at most 99.50 each",
    );
  });

  it("says why a call does not fit: too little is left, or it asks for too much at once", () => {
    expect(overBudgetText({ ...budget, amount: 800 })).toBe(
      "A standing permission covers this kind, but 1,340 of 2,000 EUR are used, and this one asks for 800 EUR.",
    );
    expect(overBudgetText({ ...budget, each: 100, amount: 800 })).toBe(
      "A standing permission covers this kind, but at most 100 EUR each, and this one asks for 800 EUR.",
    );
    expect(overBudgetText({ ...budget, each: 800, amount: 800 })).toContain("1,340 of 2,000 EUR are used");
  });

  it("quotes a unit that could be mistaken for a part of the sentence", () => {
    expect(budgetText({ ...budget, unit: "EUR used. Approved" })).toBe(
      "1,340 of 2,000 “EUR used. Approved” used",
    );
    expect(budgetText({ ...budget, unit: "E\u202eUR" })).toContain("⟨U+202E⟩");
  });
});
