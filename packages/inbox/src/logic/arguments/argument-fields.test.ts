import { describe, expect, it } from "vitest";
import { changesBetween } from "./argument-changes.js";
import { argumentFields, fieldLabel, unitAt, unitOf } from "./argument-fields.js";
import { amountText, valueKind } from "./value-kind.js";

const rows = (input: unknown, editable: string[] = []) =>
  argumentFields(input, { schema: null, editable }).map(({ path, editable: open }) =>
    open ? `${path}*` : path,
  );

describe("argumentFields", () => {
  it("splits objects into rows and keeps arrays whole", () => {
    expect(rows({ a: 1, b: { c: 2, d: [{ e: 3 }] }, f: {} })).toEqual(["a", "b.c", "b.d", "f"]);
  });

  it("keeps an object whole if it is editable as one value", () => {
    expect(rows({ a: { b: 1 }, c: { d: 1, e: 2 } }, ["a", "c.*"])).toEqual(["a*", "c.d*", "c.e*"]);
  });

  it("stops at the maximum depth", () => {
    expect(rows({ a: { b: { c: { d: { e: 1 } } } } })).toEqual(["a.b.c.d"]);
  });

  it("makes one row of a value that is not an object", () => {
    expect(rows("text")).toEqual([""]);
  });

  it("finds the descriptions of nested fields and marks hidden values", () => {
    const schema = { properties: { a: { properties: { b: { description: "The b" } } } } };
    expect(argumentFields({ a: { b: "[hidden]" } }, { schema, editable: [] })).toMatchObject([
      { path: "a.b", schema: { description: "The b" }, hidden: true },
    ]);
  });
});

describe("fieldLabel", () => {
  it("splits camel case and snake case into words", () => {
    expect(fieldLabel(["customerInfo", "zip_code"])).toBe("customer info › zip code");
  });

  it("is what the rules call the argument or what holds it", () => {
    const names = { customerInfo: "Customer", orderId: "Order" };
    expect(fieldLabel(["orderId"], names)).toBe("Order");
    expect(fieldLabel(["customerInfo", "zip_code"], names)).toBe("Customer › zip code");
  });

  it("has the path beside it where two arguments would look alike", () => {
    const fields = argumentFields(
      { orderId: "A-1", order: "A-2", amount: 1 },
      { schema: null, editable: [], names: { orderId: "Order" } },
    );
    expect(fields.map(({ name }) => name)).toEqual(["Order (orderId)", "order", "amount"]);
  });
});

describe("valueKind", () => {
  it.each([
    ["amount", 49.9, "number"],
    ["count", 5, "number"],
    ["at", "2026-01-02T03:04:05Z", "date"],
    ["at", "2026-99-99", "text"],
    ["to", "a@example.com", "email"],
    ["file", "/etc/passwd", "path"],
    ["script", "a();\nb();", "code"],
    ["body", "x".repeat(281), "long"],
    ["tags", ["a", 1], "list"],
    ["tags", [{}], "json"],
    ["on", false, "yes-no"],
    ["x", null, "nothing"],
  ])("classifies %s %j as %s", (key, value, kind) => {
    expect(valueKind(key, value)).toBe(kind);
  });
});

describe("amountText", () => {
  it.each([
    ["amount", 5000, "EUR", "5,000 EUR"],
    ["amount", 49.9, undefined, "49.90"],
    ["amount", 499.999999999, "EUR", "499.999999999 EUR"],
    ["weight", 5, "kg", "5 kg"],
  ])("formats %s %d %s as %s", (key, value, unit, text) => {
    expect(amountText(key, value, unit)).toBe(text);
  });
});

describe("the unit of a number", () => {
  const unit = (path: string, input: unknown, units: Record<string, string> = {}) => {
    const keys = path.split(".");
    return unitOf({ keys, unit: unitAt(units, keys) }, input);
  };

  it("is that of the call's rules", () => {
    const [field] = argumentFields({ weight: 3 }, { schema: null, editable: [], units: { weight: "kg" } });
    expect(field?.unit).toBe("kg");
    expect(unit("amount", { amount: 1, currency: "USD" }, { amount: "EUR" })).toBe("EUR");
    expect(unit("constructor", { constructor: 1 })).toBeUndefined();
  });

  it("is otherwise the currency beside an amount, and no other text", () => {
    expect(unit("amount", { amount: 1, currency: "EUR" })).toBe("EUR");
    expect(unit("order.amount", { order: { amount: 1, currency: "USD" }, currency: "EUR" })).toBe("USD");
    expect(unit("order.amount", { order: { amount: 1 }, currency: "EUR" })).toBeUndefined();
    expect(unit("count", { count: 1, currency: "EUR" })).toBeUndefined();
    for (const currency of ["euros", "[hidden]", "EUR and", 978]) {
      expect(unit("amount", { amount: 1, currency })).toBeUndefined();
    }
  });
});

describe("changesBetween", () => {
  it("lists the fields that differ", () => {
    expect(changesBetween({ a: 1, b: { c: [1] } }, { a: 1, b: { c: [2] }, d: 3 })).toEqual([
      { keys: ["b", "c"], from: [1], to: [2] },
      { keys: ["d"], from: undefined, to: 3 },
    ]);
  });

  it("returns an empty list if nothing was edited", () => {
    expect(changesBetween({ a: 1 }, null)).toEqual([]);
  });
});
