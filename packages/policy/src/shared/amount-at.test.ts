import { describe, expect, it } from "vitest";
import { amountAt } from "./amount-at.js";

describe("amountAt", () => {
  it("reads the number at a path", () => {
    expect(amountAt({ order: { total: 19.5 } }, "order.total")).toBe(19.5);
    expect(amountAt({ amount: 0 }, "amount")).toBe(0);
  });

  it.each([
    ["a missing field", {}],
    ["a text", { amount: "19" }],
    ["a negative number", { amount: -1 }],
    ["infinity", { amount: Number.POSITIVE_INFINITY }],
    ["an inherited field", Object.create({ amount: 1 })],
    ["no object", null],
  ])("reads no amount from %s", (_, input) => {
    expect(amountAt(input, "amount")).toBeUndefined();
  });
});
