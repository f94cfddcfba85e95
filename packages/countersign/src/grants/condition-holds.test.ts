import { expect, it } from "vitest";
import { conditionHolds, judgeCondition } from "./condition-holds.js";

const call = {
  toolName: "refund",
  inputJson: '{"amount":80,"id":"A-1"}',
  policyContext: { principal: { id: "u", roles: ["agent"] }, profile: null, mcp: null },
  threadId: "t",
};

it.each([
  ["input.amount <= 80", true],
  ['input["amount"] <= 80 && input["id"] == "A-1" && size(input) == 2', true],
  ['thread.id == "t" && principal.id == "u" && tool.name == "refund"', true],
  ["input.amount > 80", false],
])("judges %s", (condition, holds) => {
  expect(judgeCondition(condition, call)).toBe(holds);
  expect(conditionHolds(condition, call)).toBe(holds);
});

it.each([
  "input.missing < 1",
  "input.id < 1",
  "input.id == 1",
  "input.amount",
  "input.amount <",
  "other > 1",
])("has no doubt in favour of %s", (condition) => {
  expect(() => judgeCondition(condition, call)).toThrow();
  expect(conditionHolds(condition, call)).toBe(false);
});
