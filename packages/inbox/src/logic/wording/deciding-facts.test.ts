import { describe, expect, it } from "vitest";
import type { Approval } from "../../api/approval.js";
import { someApproval } from "../../testing/some-approval.js";
import { decidingFacts } from "./deciding-facts.js";

const now = Date.parse("2026-03-02T10:00:00.000Z");
const count: Approval["counts"][number] = {
  ...{ text: "", condition: "", tool: "refund", amount: "amount", per: "tenant", window: "24h" },
  ...{ limit: 400, total: 2400, unit: "EUR", hidden: false, exceeds: true },
};
const failed = { name: "balance", ok: false, message: "Only 12.50 EUR are left" };
const history: Approval["history"] = {
  ...{ calls: 41, more: false, approved: 40, denied: 1, newValues: [] },
  amount: { path: "amount", median: 38, times: 8 },
};
const facts = (fields: Partial<Approval>) =>
  decidingFacts(someApproval(fields), now, "lead").map(({ text }) => text);

describe("the facts that should stop a hand", () => {
  it("are none for a call that is like the others", () => {
    const usual = { ...history, amount: { path: "amount", median: 38, times: 1.1 } };
    expect(facts({ counts: [{ ...count, exceeds: false }], checks: [{ ...failed, ok: true }] })).toEqual([]);
    expect(facts({ requesterId: "ada", history: usual })).toEqual([]);
  });

  it("are at most two, the weightiest first", () => {
    const all = { checks: [failed], counts: [count], requesterId: "ada", history };
    expect(facts(all)).toEqual([
      "Failed: balance: Only 12.50 EUR are left",
      expect.stringMatching(/^2,000 EUR over the limit of 400 EUR of refund in 24 hours/),
    ]);
    expect(facts({ ...all, checks: [] })).toEqual([
      expect.stringMatching(/over the limit/),
      "8 × the usual amount of 38",
    ]);
  });

  it("begin with the same call, and lead to it", () => {
    const earlier: Approval["earlier"] = {
      ...{
        approvalId: "apr_1",
        status: "executed",
        decidedBy: "lead",
        finishedAt: "2026-03-02T09:54:00.000Z",
      },
    };
    const [first, second] = decidingFacts(someApproval({ earlier, checks: [failed] }), now, "lead");
    expect(first).toEqual({
      text: expect.stringMatching(/^The same .* 6 min ago, approved by you$/),
      approvalId: "apr_1",
    });
    expect(second?.text).toMatch(/^Failed: balance/);
  });

  it("are none once the call was decided", () => {
    expect(facts({ status: "executed", checks: [failed], counts: [count] })).toEqual([]);
  });
});
