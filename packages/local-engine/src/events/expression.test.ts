import { expect, test } from "vitest";
import { compileExpression, demandedText, evaluateExpression, matchesExpression } from "./expression.js";

const scope = {
  event: { data: { id: "a", n: 2, list: ["x"] } },
  async: { data: { id: "a", quoted: 'a"b', written: 'a\\"b', lines: "a\nb" } },
};

test.each([
  ["async.data.id == 'a'", true],
  ["event.data.id == async.data.id", true],
  ["event.data.n > 1 && 'x' in event.data.list", true],
  ["event.data.n == 2.0", true],
  ["event.data.missing == 'a'", false],
  ["async.data.missing.deeper == 'a'", false],
  ["event.data.id", false],
  ["event.data.missing == 'a' || event.data.id == 'a'", true],
  ["event.data.missing != 'a'", true],
  ["event.data.missing == null", true],
  ["!has(event.data.missing)", false],
  ["event.data.missing > 1", false],
  ['async.data.quoted == "a\\"b"', false],
  ['async.data.written == "a\\"b"', true],
  ["async.data.written == 'a\"b'", false],
  ["async.data.lines == 'a\\nb'", false],
])("the expression %s gives %s", (expression, expected) => {
  expect(matchesExpression(expression, scope)).toBe(expected);
});

test("a missing expression always matches, and an expression never does without its event", () => {
  expect(matchesExpression(undefined, {})).toBe(true);
  expect(matchesExpression("async.data.id == 'a'", { event: scope.event })).toBe(false);
});

test("evaluateExpression returns the value of an idempotency expression", () => {
  expect(evaluateExpression("event.data.id + '-' + async.data.id", scope)).toBe("a-a");
});

test("an expression that is not CEL is refused with its text", () => {
  expect(() => compileExpression("a ==")).toThrow('Invalid expression "a =="');
});

test.each([
  ["async.data.id == 'a'", "a"],
  ["'a' == async.data.order.id", "a"],
  ["async.data.n > 1 && async.data.id == 'a'", "a"],
  ["(async.data.n > 1 && async.data.id == 'a') && async.data.other == 'b'", "a"],
  ["async.data.id == 'a' || async.data.id == 'b'", undefined],
  ["!(async.data.id == 'a')", undefined],
  ["async.data.id != 'a'", undefined],
  ["async.data.id == event.data.id", undefined],
  ["async.data.n == 1", undefined],
  ["event.data.id == 'a'", undefined],
  ["async.name == 'a'", undefined],
  ["async.data == 'a'", "a"],
  ["async.data.id + 'b' == 'ab'", undefined],
  ["size(async.data.id) == 1", undefined],
])("the expression %s demands the text %s", (expression, text) => {
  expect(demandedText(expression)).toBe(text);
});
