import { describe, expect, it } from "vitest";
import { type CountLike, countText, exceedsLimit } from "./count-text.js";

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
    [refunds, "3 of 10 calls of issue_refund within 1h, by this requester"],
    [{ ...refunds, per: "thread" }, "3 of 10 calls of issue_refund within 1h, in this conversation"],
    [{ ...refunds, per: "tenant" }, "3 of 10 calls of issue_refund within 1h, by everyone"],
    [{ ...refunds, limit: null }, "3 calls of issue_refund within 1h, by this requester"],
    [{ ...refunds, limit: null, total: 1 }, "1 call of issue_refund within 1h, by this requester"],
    [{ ...refunds, limit: 1, total: 1 }, "1 of 1 calls of issue_refund within 1h, by this requester"],
    [{ ...refunds, tool: "issue_*" }, "3 of 10 calls of “issue_*” within 1h, by this requester"],
    [spent, "1,340 of 2,000 in amount of issue_refund within 7d, by this requester"],
    [
      { ...spent, per: "input.customerId" },
      "1,340 of 2,000 in amount of issue_refund within 7d, with the same customerId",
    ],
    [
      { ...spent, amount: "order.total", per: "input.order.customer" },
      "1,340 of 2,000 in order.total of issue_refund within 7d, with the same order.customer",
    ],
    [{ ...spent, unit: "EUR" }, "1,340 of 2,000 EUR in amount of issue_refund within 7d, by this requester"],
    [
      { ...spent, unit: "EUR", limit: null },
      "1,340 EUR in amount of issue_refund within 7d, by this requester",
    ],
    [
      { ...spent, unit: "EUR (ok" },
      "1,340 of 2,000 “EUR (ok” in amount of issue_refund within 7d, by this requester",
    ],
    [{ ...refunds, total: null }, "calls of issue_refund within 1h, by this requester: not known"],
    [{ ...spent, total: null }, "amount of issue_refund within 7d, by this requester: not known"],
    [
      { ...spent, limit: 400, total: null, hidden: true },
      "hidden of 400 in amount of issue_refund within 7d, by this requester",
    ],
  ])("describes %j", (count, line) => {
    expect(countText(count)).toBe(line);
  });

  it.each<[CountLike, string]>([
    [refunds, "3 of 10 calls of Refund within 1h, by this requester"],
    [
      { ...spent, per: "input.customerId" },
      "1,340 of 2,000 in Sum of Refund within 7d, with the same Customer",
    ],
    [
      { ...spent, tool: "pay", per: "input.customerId" },
      "1,340 of 2,000 in amount of pay within 7d, with the same Customer",
    ],
    [{ ...refunds, tool: "issue_*" }, "3 of 10 calls of “issue_*” within 1h, by this requester"],
  ])("uses the call's label and names for what they are about: %j", (count, line) => {
    expect(countText(count, undefined, refund)).toBe(line);
  });

  it.each([
    [10, "10 of 10 calls of issue_refund within 1h, by this requester"],
    [11, "11 of 10 calls of issue_refund within 1h, by this requester (over the limit)"],
  ])("says whether %s of 10 calls are over the limit", (total, line) => {
    expect(countText({ ...refunds, total })).toBe(line);
  });

  it.each([
    [1e21, "1,000,000,000,000,000,000,000 in amount"],
    [499.999999999, "499.999999999 in amount"],
    [0.1, "0.10 in amount"],
    [12_345.5, "12,345.50 in amount"],
  ])("writes the sum %d exactly", (total, start) => {
    expect(countText({ ...spent, limit: null, total }).startsWith(start)).toBe(true);
  });

  it.each<[string, Partial<CountLike>, string]>([
    ["bidi text in a tool's name", { tool: "a\u202eb" }, "calls of “a⟨U+202E⟩b” within"],
    [
      "words of ours in a tool's name",
      { tool: "a within 1h, by everyone" },
      "of “a within 1h, by everyone” w",
    ],
    ["a line break in a tool's name", { tool: "a\nb" }, "calls of “a⏎b” within"],
    ["quotation marks in a tool's name", { tool: "a” b" }, 'calls of “a" b” within'],
    ["a long name of a tool", { tool: "t".repeat(121) }, `calls of “${"t".repeat(119)}…” within`],
    ["blanks in a path", { amount: "amount of a" }, "in “amount of a” of issue_refund"],
    ["words of ours in the path that is equal", { per: "input.id, by x" }, "with the same “id, by x”"],
  ])("does not let %s mislead", (_what, changes, part) => {
    expect(countText({ ...refunds, ...changes })).toContain(part);
  });
});

it("exceedsLimit says nothing of a total that is hidden or not known", () => {
  expect(exceedsLimit({ limit: 10, total: 11, hidden: false })).toBe(true);
  expect(exceedsLimit({ limit: 10, total: 11, hidden: true })).toBe(false);
  expect(exceedsLimit({ limit: 10, total: null, hidden: false })).toBe(false);
  expect(exceedsLimit({ limit: null, total: 11, hidden: false })).toBe(false);
});
