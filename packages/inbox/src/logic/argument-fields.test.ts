import { describe, expect, it } from "vitest";
import { argumentFields, fieldWords } from "./argument-fields.js";
import { changesBetween } from "./changes.js";
import { moneyWords, valueKind } from "./value-kind.js";

const rows = (input: unknown, editable: string[] = []) =>
  argumentFields(input, { schema: null, editable }).map(({ path, editable: open }) =>
    open ? `${path}*` : path,
  );

describe("argumentFields", () => {
  it("opens objects and leaves lists whole", () => {
    expect(rows({ a: 1, b: { c: 2, d: [{ e: 3 }] }, f: {} })).toEqual(["a", "b.c", "b.d", "f"]);
  });

  it("keeps an object whole that may be edited as one", () => {
    expect(rows({ a: { b: 1 }, c: { d: 1, e: 2 } }, ["a", "c.*"])).toEqual(["a*", "c.d*", "c.e*"]);
  });

  it("stops where nesting becomes unreadable", () => {
    expect(rows({ a: { b: { c: { d: { e: 1 } } } } })).toEqual(["a.b.c.d"]);
  });

  it("makes one row of what is no object", () => {
    expect(rows("text")).toEqual([""]);
  });

  it("finds descriptions below, and what is hidden", () => {
    const schema = { properties: { a: { properties: { b: { description: "The b" } } } } };
    expect(argumentFields({ a: { b: "[hidden]" } }, { schema, editable: [] })).toMatchObject([
      { path: "a.b", schema: { description: "The b" }, hidden: true },
    ]);
  });
});

describe("fieldWords", () => {
  it("reads camel and snake case", () => {
    expect(fieldWords(["customerInfo", "zip_code"])).toBe("customer info › zip code");
  });
});

describe("valueKind", () => {
  it.each([
    ["amount", 49.9, "money"],
    ["totalAmount", 5, "money"],
    ["amount", 0.123, "number"],
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
  ])("shows %s %j as %s", (key, value, kind) => {
    expect(valueKind(key, value)).toBe(kind);
  });
});

describe("moneyWords", () => {
  it("shows cents, and a currency that is named", () => {
    expect([moneyWords(5000, "EUR"), moneyWords(49.9, undefined), moneyWords(1, "euros")]).toEqual([
      "5,000.00 EUR",
      "49.90",
      "1.00",
    ]);
  });
});

describe("changesBetween", () => {
  it("lists what differs, field by field", () => {
    expect(changesBetween({ a: 1, b: { c: [1] } }, { a: 1, b: { c: [2] }, d: 3 })).toEqual([
      { keys: ["b", "c"], from: [1], to: [2] },
      { keys: ["d"], from: undefined, to: 3 },
    ]);
  });

  it("finds nothing where nothing was edited", () => {
    expect(changesBetween({ a: 1 }, null)).toEqual([]);
  });
});
