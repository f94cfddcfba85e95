import { expect, test } from "vitest";
import { compileExpression, evaluateExpression, matchesExpression } from "./expression.js";

const scope = { event: { data: { id: "a", n: 2, list: ["x"] } }, async: { data: { id: "a" } } };

test.each([
  ["async.data.id == 'a'", true],
  ["event.data.id == async.data.id", true],
  ["event.data.n > 1 && 'x' in event.data.list", true],
  ["event.data.n == 2.0", true],
  ["event.data.missing == 'a'", false],
  ["async.data.missing.deeper == 'a'", false],
  ["event.data.id", false],
  ["event.data.missing == 'a' || event.data.id == 'a'", true],
])("%s is %s", (expression, expected) => {
  expect(matchesExpression(expression, scope)).toBe(expected);
});

test("no expression always matches; one without its event never does", () => {
  expect(matchesExpression(undefined, {})).toBe(true);
  expect(matchesExpression("async.data.id == 'a'", { event: scope.event })).toBe(false);
});

test("an idempotency expression gives its value", () => {
  expect(evaluateExpression("event.data.id + '-' + async.data.id", scope)).toBe("a-a");
});

test("what is no CEL is refused with its text", () => {
  expect(() => compileExpression("a ==")).toThrow('Invalid expression "a =="');
});
