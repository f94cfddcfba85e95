import { describe, expect, it } from "vitest";
import { argumentName, argumentNames } from "./argument-name.js";

describe("argumentName", () => {
  const names = {
    orderId: "Order",
    customer: "Customer",
    "customer.email": "Email",
    "parcel.weight": "Weight",
  };

  it.each<[string[], string | undefined]>([
    [["orderId"], "Order"],
    [["customer", "email"], "Email"],
    [["customer", "address", "city"], "Customer › address › city"],
    [["parcel", "weight"], "Weight"],
    [["parcel", "height"], undefined],
    [["toString"], undefined],
    [[], undefined],
  ])("is what the rules call the argument or what holds it: %j", (keys, name) => {
    expect(argumentName(keys, names)).toBe(name);
  });

  it("is not given to a key that only looks like the path", () => {
    expect(argumentName(["parcel.weight"], names)).toBeUndefined();
    expect(argumentName(["parcel.weight", "unit"], { "parcel.weight.unit": "Unit" })).toBeUndefined();
  });
});

describe("argumentNames", () => {
  it("have the path beside a name that two arguments show", () => {
    const names = { orderId: "Order", amount: "Sum", total: "Sum" };
    const keys = [["orderId"], ["amount"], ["total"], ["order"], ["note"]];
    expect(argumentNames(keys, names)).toEqual([
      "Order (orderId)",
      "Sum (amount)",
      "Sum (total)",
      undefined,
      undefined,
    ]);
    expect(argumentNames([["orderId"], ["note"]], names)).toEqual(["Order", undefined]);
  });
});
