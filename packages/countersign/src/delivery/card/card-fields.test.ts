import { describe, expect, it } from "vitest";
import { cardFields } from "./card-fields.js";

describe("cardFields", () => {
  it("shows nested arguments as rows of plain text", () => {
    expect(cardFields({ order: { id: "A-1", lines: [1, 2] }, amount: 2400.5, note: "a\nb" })).toEqual({
      fields: [
        { name: "order.id", text: "A-1" },
        { name: "order.lines", text: "[1,2]" },
        { name: "amount", text: "2,400.50" },
        { name: "note", text: "a⏎b" },
      ],
      hidden: [],
      cut: false,
    });
  });

  it("shows numbers with the units of their arguments", () => {
    const input = { amount: 2400.5, parcel: { weight: 3, amount: 1 }, note: "amount", constructor: 1 };
    const units = { amount: "EUR", "parcel.weight": "kg", note: "EUR" };
    expect(cardFields(input, { units }).fields.map(({ text }) => text)).toEqual([
      ...["2,400.50 EUR", "3 kg", "1", "amount", "1"],
    ]);
  });

  it("shows what the rules call the arguments beside their paths", () => {
    const names = { orderId: "Order", "customer.email": "Email\u202e", total: "Sum", amount: "Sum" };
    const input = { orderId: "A-1", customer: { email: "[hidden]" }, total: 1, amount: 2, note: "x" };
    const { fields, hidden } = cardFields(input, { names });
    expect(fields).toEqual([
      { name: "orderId", label: "Order", text: "A-1" },
      { name: "customer.email", label: "Email⟨U+202E⟩", text: "[hidden]" },
      { name: "total", label: "Sum (total)", text: "1" },
      { name: "amount", label: "Sum (amount)", text: "2" },
      { name: "note", text: "x" },
    ]);
    expect(hidden).toEqual(["customer.email"]);
  });

  it.each([
    ["no arguments", {}],
    ["null", null],
  ])("shows %s as no rows", (_, input) => {
    expect(cardFields(input)).toEqual({ fields: [], hidden: [], cut: false });
  });

  it.each([
    ["a long value", { note: "x".repeat(2_001) }],
    ["a value that is long once it is visible", { note: "\u202E".repeat(400).split("").join("ab") }],
    [
      "many long values",
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f${at}`, "x".repeat(1_900)])),
    ],
    ["many values", Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, at]))],
    ["a long name", { ["x".repeat(301)]: 1 }],
    ["a hidden value", { card: "[hidden]" }],
    ["a partly hidden value", { note: "Card [hidden]" }],
    ["a hidden value in a list", { cards: ["[hidden]"] }],
    ["hidden arguments", "[hidden]"],
  ])("reports the call as incomplete with %s", (_, input) => {
    const { cut, hidden, fields } = cardFields(input);
    expect(cut || hidden.length > 0).toBe(true);
    expect(JSON.stringify(fields).length).toBeLessThan(20_000);
  });

  it("shows a value of the maximum length, and one that ends with an ellipsis, in full", () => {
    expect(cardFields({ note: "x".repeat(2_000), more: "and so on…" }).cut).toBe(false);
  });

  it("lists the paths of hidden values", () => {
    expect(cardFields({ customer: { card: "[hidden]" }, id: 1 }).hidden).toEqual(["customer.card"]);
  });
});
