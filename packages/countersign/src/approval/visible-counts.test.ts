import type { RecordedCount } from "@countersign/policy/internal/policy/counts";
import { describe, expect, it } from "vitest";
import { visibleCounts } from "./visible-counts.js";

const calls: RecordedCount = {
  tool: "refund",
  amount: null,
  per: "requester",
  window: "1h",
  text: 'calls("refund", "1h")',
  limit: 10,
  total: 11,
};
const spent: RecordedCount = {
  tool: "refund",
  amount: "order.total",
  per: "input.customer",
  window: "24h",
  text: 'spent("refund", "order.total", "24h", "customer")',
  limit: 400,
  total: 980,
};
const input = { order: { total: 480 }, customer: "ada@example.com" };

const counted = (
  counts: RecordedCount[],
  hiding: { redact?: string[]; redactPatterns?: string[] } = {},
  of: unknown = input,
  units: Record<string, string> = {},
) => {
  const call = {
    toolName: "refund",
    inputJson: JSON.stringify(of),
    terms: { counts, units, label: null, names: {} },
  };
  return visibleCounts(call, { redact: [], redactPatterns: [], ...hiding });
};

describe("visibleCounts", () => {
  it("has a line for each count, and says which are above their limit", () => {
    expect(counted([calls, { ...spent, total: 80 }])).toEqual([
      {
        tool: "refund",
        amount: null,
        per: "requester",
        window: "1h",
        limit: 10,
        total: 11,
        unit: null,
        text: "1 over the limit of 10 requests in 1 hour for this requester",
        condition: 'calls("refund", "1h")',
        hidden: false,
        exceeds: true,
      },
      {
        tool: "refund",
        amount: "order.total",
        per: "input.customer",
        window: "24h",
        limit: 400,
        total: 80,
        unit: null,
        hidden: false,
        exceeds: false,
        text: "order › total: 80 of 400 in 24 hours for the same customer, this one included",
        condition: 'spent("refund", "order.total", "24h", "customer")',
      },
    ]);
  });

  it.each([
    ["the path of the amount", { redact: ["order.total"] }],
    ["a path above it", { redact: ["order"] }],
    ["a path with a wildcard", { redact: ["*.total"] }],
    ["a pattern that the amount matches", { redactPatterns: ["480"] }],
    ["a pattern that cannot be read", { redactPatterns: ["("] }],
  ])("hides a sum if the rule hides %s", (_what, hiding) => {
    const [sum, number] = counted([spent, calls], hiding);
    expect(sum).toMatchObject({ total: null, hidden: true, exceeds: false });
    expect(sum?.text).toBe(
      "order › total: hidden of 400 in 24 hours for the same customer, this one included",
    );
    expect(JSON.stringify(sum)).not.toContain("980");
    expect(number).toMatchObject({ total: 11, hidden: false, exceeds: true });
  });

  it("gives a sum the unit that the call's rule gives the amount, if it is of the same tool", () => {
    const units = { "order.total": "EUR" };
    const others = { ...spent, tool: "refund_*" };
    expect(counted([spent, others, calls], {}, input, units).map(({ text, unit }) => [unit, text])).toEqual([
      ["EUR", "580 EUR over the limit of 400 EUR in 24 hours for the same customer"],
      [null, "order › total: 580 over the limit of 400 of “refund_*” in 24 hours for the same customer"],
      [null, "1 over the limit of 10 requests in 1 hour for this requester"],
    ]);
  });

  it("calls the calls and their arguments what the call's rules call them", () => {
    const terms = {
      counts: [spent],
      units: {},
      label: "Refund",
      names: { "order.total": "Sum", customer: "Customer" },
    };
    const call = { toolName: "refund", inputJson: JSON.stringify(input), terms };
    const [shown] = visibleCounts(call, { redact: ["order.total"], redactPatterns: [] });
    expect(shown?.text).toBe("Sum: hidden of 400 in 24 hours for the same Customer, this one included");
  });

  it("hides a sum that a pattern hides although no amount of it matches", () => {
    expect(counted([spent], { redactPatterns: ["980"] })).toMatchObject([{ total: null, hidden: true }]);
  });

  it("hides the sum of another tool's calls at a hidden path", () => {
    expect(counted([spent], { redact: ["order.total"] }, { note: "no amount" })).toMatchObject([
      { total: null, hidden: true },
    ]);
  });

  it("does not say whether a hidden amount is one", () => {
    const unknown = { ...spent, total: null };
    expect(counted([unknown], {}, { order: { total: "x" } })).toMatchObject([{ hidden: false }]);
    expect(counted([unknown], { redact: ["order.total"] }, { order: { total: "x" } })).toMatchObject([
      { total: null, hidden: true },
    ]);
  });

  it("shows the sum of calls that share a hidden argument, without its value", () => {
    const [sum] = counted([spent], { redact: ["customer"] });
    expect(sum).toMatchObject({ total: 980, hidden: false, exceeds: true });
    expect(JSON.stringify(sum)).not.toContain("ada");
  });
});
