import { describe, expect, it } from "vitest";
import { type CountLike, countText, exceedsLimit } from "./count-text.js";
import { englishKind } from "./english-kind.js";

const refunds: CountLike = {
  tool: "issue_refund",
  amount: null,
  per: "requester",
  window: "1h",
  limit: 10,
  total: 3,
  hidden: false,
};
const refund = {
  toolName: "issue_refund",
  label: "Refund",
  names: { amount: "Sum", customerId: "Customer" },
};
const spent: CountLike = { ...refunds, amount: "amount", window: "7d", limit: 2000, total: 1340 };

describe("countText", () => {
  it.each<[CountLike, string]>([
    [refunds, "3 of 10 refunds in 1 hour for this requester, this one included"],
    [{ ...refunds, per: "thread" }, "3 of 10 refunds in 1 hour in this conversation, this one included"],
    [{ ...refunds, per: "tenant" }, "3 of 10 refunds in 1 hour for everyone, this one included"],
    [{ ...refunds, limit: null }, "3 refunds in 1 hour for this requester, this one included"],
    [{ ...refunds, limit: null, total: 1 }, "1 refund in 1 hour for this requester, this one included"],
    [{ ...refunds, limit: 1, total: 1 }, "1 of 1 refunds in 1 hour for this requester, this one included"],
    [{ ...refunds, tool: "issue_*" }, "3 of 10 requests of “issue_*” in 1 hour for this requester"],
    [spent, "Sum: 1,340 of 2,000 in 7 days for this requester, this one included"],
    [
      { ...spent, unit: "EUR", per: "input.customerId" },
      "1,340 of 2,000 EUR in 7 days for the same Customer, this one included",
    ],
    [
      { ...spent, tool: "pay", per: "input.customerId" },
      "amount: 1,340 of 2,000 of pay in 7 days for the same Customer",
    ],
    [
      { ...spent, amount: "order.total", per: "input.order.shippedTo" },
      "order › total: 1,340 of 2,000 in 7 days for the same order › shipped to, this one included",
    ],
    [{ ...spent, unit: "EUR", limit: null }, "1,340 EUR in 7 days for this requester, this one included"],
    [
      { ...spent, unit: "EUR (ok" },
      "1,340 of 2,000 “EUR (ok” in 7 days for this requester, this one included",
    ],
    [{ ...refunds, total: null }, "refunds in 1 hour for this requester: not known"],
    [{ ...spent, unit: "EUR", total: null }, "Sum in 7 days for this requester: not known"],
    [
      { ...spent, limit: 400, unit: "EUR", total: null, hidden: true },
      "hidden of 400 EUR in 7 days for this requester, this one included",
    ],
  ])("describes %j", (count, line) => {
    expect(countText(count, undefined, refund)).toBe(line);
  });

  it("names the tool and the argument in code if the call is not known", () => {
    expect(countText({ ...spent, per: "input.customerId" })).toBe(
      "amount: 1,340 of 2,000 of issue_refund in 7 days for the same customer id",
    );
    expect(countText(refunds, undefined, { ...refund, label: null })).toMatch(/^3 of 10 requests in 1 hour/);
  });

  it.each([
    [10, "10 of 10 refunds in 1 hour for this requester, this one included"],
    [11, "1 over the limit of 10 refunds in 1 hour for this requester"],
  ])("says by how much %s refunds are over a limit of 10", (total, line) => {
    expect(countText({ ...refunds, total }, undefined, refund)).toBe(line);
  });

  it.each([
    [{ unit: "EUR", limit: 400, total: 2400 }, "2,000 EUR over the limit of 400 EUR in"],
    [{ limit: 0.2, total: 0.3 }, "Sum: 0.10 over the limit of 0.20 in"],
  ])("says exactly by how much a sum is over a limit: %j", (changes, start) => {
    expect(countText({ ...spent, ...changes }, undefined, refund).startsWith(start)).toBe(true);
  });

  it.each([
    [1e21, "1,000,000,000,000,000,000,000 in 7 days"],
    [499.999999999, "499.999999999 in 7 days"],
    [0.1, "0.10 in 7 days"],
    [12_345.5, "12,345.50 in 7 days"],
  ])("writes the sum %d exactly", (total, start) => {
    expect(countText({ ...spent, limit: null, total }, undefined, refund)).toMatch(`Sum: ${start}`);
  });

  it.each<[string, Partial<CountLike>, string]>([
    ["bidi text in a tool's name", { tool: "a\u202eb" }, "requests of “a⟨U+202E⟩b” in"],
    ["words of ours in a tool's name", { tool: "a in 1h, for everyone" }, "of “a in 1h, for everyone” in"],
    ["a line break in a tool's name", { tool: "a\nb" }, "requests of “a⏎b” in"],
    ["quotation marks in a tool's name", { tool: "a” b" }, 'requests of “a" b” in'],
    ["a long name of a tool", { tool: "t".repeat(121) }, `requests of “${"t".repeat(119)}…” in`],
    ["blanks in a path", { amount: "amount of a" }, "“amount of a”: 3 of 10 of issue_refund"],
    ["words of ours in the path that is equal", { per: "input.id, by x" }, "for the same “id, by x”"],
    ["words of ours in a length", { window: "1h for everyone" }, "in “1h for everyone” for"],
  ])("does not let %s mislead", (_what, changes, part) => {
    expect(countText({ ...refunds, ...changes })).toContain(part);
  });
});

it.each([
  [null, "request", "requests"],
  ["Refund", "refund", "refunds"],
  ["Reply", "reply", "replies"],
  ["Dispatch", "dispatch", "dispatches"],
  ["Pay supplier", "request", "requests"],
  ["Überweisung", "request", "requests"],
])("what rules call %j is in a sentence %j, and several are %j", (label, one, several) => {
  expect([englishKind(label), englishKind(label, 3)]).toEqual([one, several]);
});

it("exceedsLimit says nothing of a total that is hidden or not known", () => {
  expect(exceedsLimit({ limit: 10, total: 11, hidden: false })).toBe(true);
  expect(exceedsLimit({ limit: 10, total: 11, hidden: true })).toBe(false);
  expect(exceedsLimit({ limit: 10, total: null, hidden: false })).toBe(false);
  expect(exceedsLimit({ limit: null, total: 11, hidden: false })).toBe(false);
});
