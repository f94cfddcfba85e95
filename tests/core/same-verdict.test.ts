import { expect, it, vi } from "vitest";
import { policyOf } from "../support/policy-of.js";

const numbers = Array.from({ length: 100 }, (_, index) => index);
const policy = policyOf([
  { tools: "light", verdict: "ask", when: "input.amount > 10" },
  { tools: "heavy", verdict: "ask", when: "input.list.all(a, input.list.all(b, a + b >= 0.0))" },
  {
    tools: "endless",
    verdict: "ask",
    when: "input.list.all(a, input.list.all(b, input.list.all(c, a + b + c >= 0.0)))",
  },
]);
const calls = ["light", "heavy", "endless"].map((toolName) => ({
  toolName,
  input: { amount: 11, list: numbers },
}));
const verdicts = () => calls.map((call) => policy.evaluate(call));

// tests in packages/policy/src/policy count the work of conditions.
it("a verdict is the same at any time, however long the processor takes for it", () => {
  const before = verdicts();
  expect(before.map(({ kind }) => kind)).toEqual(["ask", "ask", "deny"]);
  let now = Date.now();
  using _date = vi.spyOn(Date, "now").mockImplementation(() => (now += 86_400_000));
  using _performance = vi.spyOn(performance, "now").mockImplementation(() => (now += 86_400_000));
  expect(verdicts()).toEqual(before);
});
