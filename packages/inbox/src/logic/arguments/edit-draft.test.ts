import { describe, expect, it, onTestFinished } from "vitest";
import { writeAs } from "../../words/locale.js";
import { argumentFields } from "./argument-fields.js";
import { draftText, editedInput, readDraft } from "./edit-draft.js";

const input = {
  orderId: "A-1",
  amount: 80,
  notify: true,
  address: { street: "Main 1", zip: "8000" },
  tags: ["a"],
};
const fields = argumentFields(input, { schema: null, editable: ["amount", "notify", "address", "tags"] });

describe("readDraft", () => {
  it("finds no change in fields that were opened but not edited", () => {
    const draft = Object.fromEntries(fields.map(({ path, value }) => [path, draftText(value)]));
    expect(readDraft(fields, draft)).toEqual({ changes: [], problems: {} });
  });

  it("parses each field as the type of its value", () => {
    const { changes, problems } = readDraft(fields, {
      amount: " 60.5 ",
      notify: "false",
      tags: '["a", "b"]',
    });
    expect(problems).toEqual({});
    expect(editedInput(input, changes)).toEqual({ ...input, amount: 60.5, notify: false, tags: ["a", "b"] });
  });

  it.each([["1,5"], [""], ["12 EUR"], ["0x10"], ["Infinity"], ["1e999"]])(
    "rejects %j as a number",
    (amount) => {
      const { changes, problems } = readDraft(fields, { amount });
      expect([changes, Object.keys(problems)]).toEqual([[], ["amount"]]);
    },
  );

  it("shows and reads numbers as in the reader's locale", () => {
    writeAs("de");
    onTestFinished(() => writeAs("en"));
    const prices = argumentFields({ price: 1234.5 }, { schema: null, editable: ["price"] });
    expect(draftText(1234.5)).toBe("1234,5");
    expect(readDraft(prices, { price: "1.234,50" })).toEqual({ changes: [], problems: {} });
    expect(readDraft(prices, { price: "1.235" }).changes).toMatchObject([{ value: 1235 }]);
  });

  it("keeps the numbers of a choice as they are, in each locale", () => {
    writeAs("de");
    onTestFinished(() => writeAs("en"));
    const schema = { properties: { rate: { type: "number", enum: [1.234, 0.5] } } };
    const rates = argumentFields({ rate: 0.5 }, { schema, editable: ["rate"] });
    expect(draftText(0.5, schema.properties.rate)).toBe("0.5");
    expect(readDraft(rates, { rate: "1.234" }).changes).toMatchObject([{ value: 1.234 }]);
  });

  it("rejects invalid JSON", () => {
    expect(readDraft(fields, { address: "{" }).problems).toHaveProperty("address");
  });

  it("rejects a number in JSON that would become null", () => {
    expect(readDraft(fields, { tags: "[1, [1e999]]" }).problems).toHaveProperty("tags");
  });

  it("treats the same number in another notation as no change", () => {
    expect(readDraft(fields, { amount: "80.00" }).changes).toEqual([]);
  });

  it("never changes a field that is not editable", () => {
    expect(readDraft(fields, { orderId: "A-2" })).toEqual({ changes: [], problems: {} });
  });

  it("does not modify the original, and treats __proto__ as an ordinary key", () => {
    const odd: unknown = JSON.parse('{"__proto__": 1, "a": {"__proto__": 2}}');
    const open = argumentFields(odd, { schema: null, editable: ["__proto__"] });
    const edited = editedInput(odd, readDraft(open, { ["__proto__"]: "5" }).changes);
    expect(JSON.stringify(odd)).toBe('{"__proto__":1,"a":{"__proto__":2}}');
    expect(JSON.stringify(edited)).toBe('{"__proto__":5,"a":{"__proto__":2}}');
  });
});
