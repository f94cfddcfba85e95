import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { amountFields, budgetScopes, grantOfDraft, newBudgetDraft } from "./budget-draft.js";

const offer = { words: "", upTo: null, grant: { scope: "team", arguments: "exact" } } as const;
const grantable = someApproval({
  threadId: null,
  grantable: ["thread", "user", "team"],
  grantSuggestions: [{ ...offer }],
});
const draft = {
  amount: "amount",
  total: "2000",
  each: "",
  unit: "",
  expiresIn: "7d",
  scope: "team",
} as const;

describe("a draft of a budget", () => {
  it("counts numbers that the reader can see and a path can name", () => {
    const input = { id: "A-1", amount: 80, "order.total": 80, fee: 0, change: -1, nested: { amount: 1 } };
    expect(amountFields({ input })).toEqual(["amount", "fee"]);
    expect(amountFields({ input: "[hidden]" })).toEqual([]);
  });

  it("offers the scopes that the rule permits and the call has", () => {
    expect(budgetScopes(grantable)).toEqual([
      { scope: "user", label: "for requester" },
      { scope: "team", label: "for everyone in the team" },
    ]);
  });

  it("opens only where the reader may give grants, and there is an amount", () => {
    expect(newBudgetDraft(grantable)).toMatchObject({ amount: "amount", total: "", scope: "user" });
    const inEuros = { ...grantable, units: { amount: "EUR", fee: "EUR" } };
    expect(newBudgetDraft({ ...inEuros, input: { amount: 80 } })?.unit).toBe("EUR");
    expect(newBudgetDraft({ ...inEuros, input: { amount: 80, fee: 1 } })?.unit).toBe("");
    expect(newBudgetDraft({ ...grantable, grantSuggestions: [] })).toBeUndefined();
    expect(newBudgetDraft({ ...grantable, input: { id: "A-1", amount: "[hidden]" } })).toBeUndefined();
  });

  it("becomes a grant for any arguments within the budget", () => {
    const grant = { scope: "team", arguments: "any", expiresIn: "7d" };
    expect(grantOfDraft(draft)).toEqual({ grant: { ...grant, budget: { amount: "amount", total: 2000 } } });
    expect(grantOfDraft({ ...draft, total: " 99.50 ", each: "10", unit: " EUR " })).toEqual({
      grant: { ...grant, budget: { amount: "amount", total: 99.5, each: 10, unit: "EUR" } },
    });
  });

  it("takes amounts with groups", () => {
    expect(grantOfDraft({ ...draft, total: "2,000" }).grant?.budget).toMatchObject({ total: 2000 });
  });

  it.each([
    [{ total: "" }, "Enter the total"],
    [{ total: "0" }, "Enter amounts as numbers"],
    [{ total: "-5" }, "Enter amounts as numbers"],
    [{ total: "1,5" }, "Enter amounts as numbers"],
    [{ total: "1e3" }, "Enter amounts as numbers"],
    [{ total: `1${"0".repeat(400)}` }, "Enter amounts as numbers"],
    [{ each: "some" }, "Enter amounts as numbers"],
    [{ each: "2001" }, "at most the total"],
  ])("says what is wrong with %j", (entered, problem) => {
    expect(grantOfDraft({ ...draft, ...entered })).toEqual({ problem: expect.stringContaining(problem) });
  });
});
