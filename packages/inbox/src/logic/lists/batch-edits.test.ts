import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { batchesOf } from "./batch.js";
import { editablePlaces, editorOf, isFine, problemText, readRow } from "./batch-edits.js";

const input = { orderId: "A-1", amount: 80, note: { by: "Ada", text: "[hidden]" } };
const call = (parts: object = {}) => someApproval({ input, editable: ["amount", "note.text"], ...parts });

describe("readRow", () => {
  it("reads what was typed, and what is wrong with it", () => {
    const edit = readRow(call(), { amount: "60" });
    expect(edit).toEqual({ input: { ...input, amount: 60 }, changes: 1, problems: {}, isChecking: false });
    expect(edit && isFine(edit)).toBe(true);
    const wrong = readRow(call(), { amount: "half" });
    expect(wrong && [isFine(wrong), problemText(wrong, call())]).toEqual([
      false,
      "amount: Enter a number, such as 12.50",
    ]);
    expect(wrong && problemText(wrong, { names: { amount: "Sum" } })).toMatch(/^Sum: /);
  });

  it("finds no edit if nothing differs, or if the reader can no longer change the call", () => {
    expect(readRow(call(), {})).toBeUndefined();
    expect(readRow(call(), { amount: "80.0", orderId: "A-2" })).toBeUndefined();
    expect(readRow(call({ status: "denied" }), { amount: "60" })).toBeUndefined();
    expect(readRow(call({ yourDecisions: ["approve"] }), { amount: "60" })).toBeUndefined();
  });
});

describe("editorOf", () => {
  it("returns the argument of a cell, also of one in an object that is edited as a whole", () => {
    expect(editorOf(call(), ["amount"])).toMatchObject({ path: "amount" });
    expect(editorOf(call({ editable: ["note"] }), ["note", "by"])).toMatchObject({ path: "note" });
  });

  it.each([
    ["an argument that the rule does not open", {}, ["orderId"], /does not open this argument/],
    ["a value that is hidden", {}, ["note", "text"], /hidden from you/],
    ["an argument of other calls", {}, ["reason"], /has no such argument/],
    ["a call that the rule does not open", { yourDecisions: ["approve"] }, ["amount"], /opens nothing/],
    ["somebody else's call", { mayDecide: false }, ["amount"], /Someone else/],
    ["a decided call", { status: "denied" }, ["amount"], /is decided/],
  ])("says why not, for %s", (_name, parts, keys, why) => {
    expect(editorOf(call(parts), keys)).toMatch(why);
  });
});

describe("editablePlaces", () => {
  it("are in the order of reading, an argument with several cells once", () => {
    const mail = someApproval({ id: "m", toolName: "email", input: { to: "a" }, editable: ["to"] });
    const open = call({
      id: "1",
      editable: ["note", "orderId"],
      input: { ...input, note: { by: "a", on: 1 } },
    });
    const places = editablePlaces(batchesOf([open, call({ id: "2" }), mail]));
    expect(places.map(({ id, column }) => `${id} ${column}`)).toEqual([
      '1 ["orderId"]',
      '1 ["note","by"]',
      '2 ["amount"]',
      'm ["to"]',
    ]);
  });
});
