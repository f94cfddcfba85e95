import { describe, expect, it } from "vitest";
import { definePolicy } from "./define-policy.js";
import { parsePolicyFile } from "./files/policy-file.js";
import { formatProblem } from "./files/policy-problem.js";
import { ask } from "./rules/verdict.js";
import { templateProblem } from "./template-problem.js";

describe("a template", () => {
  it.each([
    "Done",
    "Refunded {{result.amount}} EUR to {{ customer.email }} for {{items.0.sku}}",
    "Found {{result}}",
    "Sent to {{first name}}",
    "A single { or } is text: {a}",
  ])("may be %j", (template) => {
    expect(templateProblem(template)).toBeUndefined();
  });

  it.each([
    ["Refunded {{result.amount EUR", "has {{ without }} behind it"],
    ["Refunded {{result.amount} EUR to {{customer}}", "has {{ without }} behind it"],
    ["Refunded result.amount}} EUR", "has }} without {{ before it"],
    ["Refunded {{}} EUR", "has {{}} without a field"],
    ["Refunded {{ }} EUR", "has {{}} without a field"],
    ["Refunded {{result..amount}} EUR", "{{result..amount}} is not a path"],
    ["Refunded {{.amount}} EUR", "{{.amount}} is not a path"],
  ])("is refused as %j", (template, problem) => {
    expect(templateProblem(template)).toContain(problem);
  });
});

describe("a rule with a wrong template for its results", () => {
  const resultSummary = "Refunded {{result.amount} EUR";

  it("is refused in a file, with its place and its field", () => {
    const rule = { tools: "refund", verdict: "ask", resultSummary };
    const parsed = parsePolicyFile(JSON.stringify({ version: 1, rules: [rule] }), { file: "p.json" });
    expect(parsed.ok ? [] : parsed.problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^p\.json:1:\d+ rules\.0\.resultSummary: has \{\{ without }} behind it/),
    ]);
  });

  it("is refused in code, with its tool and its field", () => {
    expect(() => definePolicy({ tools: { refund: ask({ resultSummary }) } })).toThrow(
      /tools\.refund\.resultSummary: has \{\{ without }} behind it/,
    );
  });
});
