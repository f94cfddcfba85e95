import { describe, expect, it } from "vitest";
import { approveWords, typedRight, weightOf, wordToType } from "./action-words.js";

describe("approveWords", () => {
  it.each([
    ["issue_refund", "Approve refund"],
    ["sendEmail", "Approve email"],
    ["delete_customer", "Approve: delete customer"],
    ["run", "Approve: run"],
    ["a_tool_with_a_very_long_name_indeed", "Approve"],
    ["___", "Approve"],
  ])("says %s as %s", (tool, words) => {
    expect(approveWords(tool)).toBe(words);
  });
});

describe("weightOf", () => {
  it("grows with the risk", () => {
    const weights = (["low", "medium", "high", "critical"] as const).map((risk) => weightOf({ risk }));
    expect(weights).toEqual(["key", "key", "arm", "type"]);
  });
});

describe("wordToType", () => {
  const toolName = "drop_table";
  it.each([
    [{ table: "orders", amount: 5000 }, "5000"],
    [{ note: "hello", table: "orders" }, "orders"],
    [{ note: "hello" }, toolName],
    [{ name: "[hidden]" }, toolName],
    [{ name: "p\u0430ypal" }, toolName],
    [null, toolName],
  ])("of %j is %s", (input, word) => {
    expect(wordToType({ input, toolName })).toBe(word);
  });
});

describe("typedRight", () => {
  it.each([
    ["5000", "5000", true],
    [" 5,000.00 ", "5000", true],
    ["500", "5000", false],
    ["Orders", "orders", false],
    ["", "orders", false],
  ])("takes %j for %j: %j", (typed, wanted, right) => {
    expect(typedRight(typed, wanted)).toBe(right);
  });
});
