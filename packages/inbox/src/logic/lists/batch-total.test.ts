import { describe, expect, it, onTestFinished } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { writeAs } from "../../words/locale.js";
import { batchesOf } from "./batch.js";
import { totalOf, totalText } from "./batch-total.js";

const refund = (id: string, amount: unknown, more: object = {}) =>
  someApproval({ id, toolName: "refund", input: { orderId: `A-${id}`, amount, currency: "EUR", ...more } });

const idsOf = (...ids: string[]) => new Set(ids);

describe("the total of a batch", () => {
  it("adds exactly what is in it, in its currency", () => {
    const [batch] = batchesOf([refund("1", 0.1), refund("2", 0.2), refund("3", 2400)]);
    if (!batch) throw new Error("unreachable");
    expect(totalText(batch, idsOf("1", "2"))).toBe("0.30 EUR");
    expect(totalText(batch, idsOf("1", "2", "3"))).toBe("2,400.30 EUR");
    expect(totalText(batch, idsOf())).toBe("0");
    const [nested] = batchesOf([
      someApproval({ id: "n", input: { money: { amount: 5, currency: "EUR" }, currency: "USD" } }),
    ]);
    expect(nested && totalText(nested, idsOf("n"))).toBe("5 EUR");
  });

  it("adds no different or hidden currencies, and no numbers that are no amounts", () => {
    const other = (currency: unknown) => {
      const [mixed] = batchesOf([refund("1", 10), refund("2", 20, { currency })]);
      return [["1", "2"], ["2"]].map((ids) => mixed && totalText(mixed, idsOf(...ids)));
    };
    expect(other("USD")).toEqual([undefined, "20 USD"]);
    expect(other("[hidden]")).toEqual([undefined, undefined]);
    expect(other(undefined)).toEqual([undefined, "20"]);
    const [orders] = batchesOf([someApproval({ id: "o", input: { orderNumber: 7 } })]);
    const [column] = orders?.columns ?? [];
    expect(orders && column && totalOf(orders, column, idsOf("o"))).toBeUndefined();
    expect(orders && totalText(orders, idsOf("o"))).toBeUndefined();
  });

  it("is in the unit that the rules give the argument", () => {
    const paid = (id: string, unit: string) =>
      someApproval({ id, input: { amount: 20, currency: "USD" }, units: { amount: unit } });
    const [batch] = batchesOf([paid("1", "EUR"), paid("2", "EUR"), paid("3", "CHF")]);
    expect(batch && totalText(batch, idsOf("1", "2"))).toBe("40 EUR");
    expect(batch && totalText(batch, idsOf("1", "3"))).toBeUndefined();
  });

  it("marks a currency that could pass for a text of the page", () => {
    const [batch] = batchesOf([refund("1", 20, { currency: "EUR · deny 1" })]);
    expect(batch && totalText(batch, idsOf("1"))).toBe("20 “EUR · deny 1”");
  });

  it("is never another number than the exact sum", () => {
    const sumOf = (...amounts: number[]) => {
      const [batch] = batchesOf(amounts.map((amount, at) => refund(`${at}`, amount)));
      return batch && totalText(batch, new Set(batch.approvals.map(({ id }) => id)));
    };
    expect(sumOf(499.999999999)).toBe("499.999999999 EUR");
    expect(sumOf(499.999999999, 25)).toBe("524.999999999 EUR");
    expect(sumOf(1e21)).toBe("1,000,000,000,000,000,000,000 EUR");
    expect(sumOf(1e21, 25)).toBeUndefined();
    expect(sumOf(1e300, 1e-300)).toBeUndefined();
    expect(sumOf(1e308, 1e308)).toBeUndefined();
    expect(sumOf(-5, 1e-7)).toBe("-4.9999999 EUR");
  });

  it("is written as in the reader's region", () => {
    writeAs("de");
    onTestFinished(() => writeAs("en"));
    const [batch] = batchesOf([refund("1", 2400.3)]);
    expect(batch && totalText(batch, idsOf("1"))).toBe("2.400,30 EUR");
  });
});
