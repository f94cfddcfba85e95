import { describe, expect, it } from "vitest";
import { Meter } from "../../bounded/work-limit.js";
import { compileCondition } from "../rules/condition.js";
import { ruleSchema } from "../rules/rule-schema.js";
import { threadRules } from "../rules/thread-rules.js";

const holds = (text: string, counted?: Record<string, number>) =>
  compileCondition(text).holds({ toolName: "refund", input: { amount: 5 }, counted }, new Meter(10_000));

describe("a count in a condition", () => {
  it("is read by its shortest form, however it is written", () => {
    const known = { 'spent("refund", "amount", "24h")': 400, 'calls("refund", "1h", "input.to")': 3 };
    expect(holds('spent( "refund","input.amount", "24h", "requester" ) > 399.5', known)).toBe(true);
    expect(holds("spent('refund', 'amount', '24h') > 400", known)).toBe(false);
    expect(holds('calls("refund", "1h", "to") + input.amount > 7.0', known)).toBe(true);
  });

  it("cannot be evaluated without its number", () => {
    expect(() => holds('calls("refund", "1h") < 3')).toThrow(
      /not known what calls\("refund", "1h"\) counted/,
    );
    expect(() => holds('!(calls("refund", "1h") > 3)', {})).toThrow(/not known/);
    expect(() =>
      holds('calls("refund", "1h") >= 0', { __proto__: { 'calls("refund", "1h")': 1 } } as never),
    ).toThrow(/not known/);
  });

  it("is known before a call is judged, with the lowest limit that it is compared with", () => {
    const { counts } = compileCondition(
      '20 < calls("refund", "1h") || calls("refund", "1h", "requester") >= 10',
    );
    const found = { tool: "refund", amount: null, per: "requester", window: "1h", limit: 10 };
    expect(counts).toEqual([{ ...found, text: 'calls("refund", "1h")' }]);
    expect(compileCondition("calls('a*', '7d', 'tenant') > input.amount").counts).toMatchObject([
      { tool: "a*", per: "tenant", limit: null },
    ]);
  });

  it.each([
    ['calls("refund")', "write calls(tool, window)"],
    ['calls(tool.name, "1h")', "with texts in quotes"],
    ['calls("refund", "1h", "thread", "x")', "write calls(tool, window)"],
    ['spent("refund", "amount")', "write spent(tool, amount, window)"],
    ['calls("refund", "soon") > 1', '"soon" must be a duration between one second and 31d'],
    ['calls("refund", "32d") > 1', '"32d" must be a duration'],
    ['calls("refund", "1h", "a..b") > 1', '"a..b" is no path of an argument for per'],
    ['spent("refund", "items.*.price", "1h") > 1', "is no path of an argument for amount"],
    ['calls("", "1h") > 1', "the name of the tool is missing"],
    ["counted == null", "Unknown variable: counted"],
  ])("is refused as %s", (text, problem) => {
    expect(() => compileCondition(text)).toThrow(problem);
  });

  it("is refused in a thread's rule", () => {
    const rule = { tools: "refund", verdict: "ask", when: 'calls("refund", "1h") > 1' };
    expect(() => threadRules([rule])).toThrow(/thread.rules.0.when: thread rules cannot count over time/);
  });

  it("may be given in examples, in any spelling", () => {
    const match = [{ tool: "refund", counted: { "calls( 'x' )": 1 } }];
    expect(ruleSchema.safeParse({ tools: "refund", verdict: "ask", match }).success).toBe(false);
    const rule = ruleSchema.parse({
      tools: "refund",
      verdict: "ask",
      match: [{ tool: "refund", counted: { 'calls("refund","1h")': 1 } }],
    });
    expect(rule.match).toEqual([{ tool: "refund", counted: { 'calls("refund", "1h")': 1 } }]);
  });
});
