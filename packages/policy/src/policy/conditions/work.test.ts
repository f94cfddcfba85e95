import { describe, expect, it } from "vitest";
import { compilePolicy } from "../compile-policy.js";
import { compileRule } from "../rules/compile-rule.js";
import { type VerdictKind, verdictKinds } from "../rules/rule.js";
import { checkedRuleSchema } from "../rules/rule-schema.js";

/** A policy that has these rules for the tool `t`, and allows by default. */
const policyOf = (rules: readonly { verdict: VerdictKind; when: string }[]) =>
  compilePolicy([
    {
      rules: rules.map((rule, index) =>
        compileRule(checkedRuleSchema.parse({ tools: "t", ...rule }), {
          layer: "code",
          place: `rules.${index}`,
        }),
      ),
      defaults: [{ layer: "code", verdict: { kind: "allow" } }],
      profiles: {},
      trustedServers: [],
      material: rules,
    },
  ]);

const numbers = Array.from({ length: 300 }, (_, index) => index);
const nested = "input.l.all(a, input.l.all(b, input.l.all(c, a + b + c >= 0.0)))";

describe("a condition that takes too much work", () => {
  it.each(verdictKinds)("denies the call, also if its rule says %s", (verdict) => {
    const policy = policyOf([{ verdict, when: nested }]);
    const call = { toolName: "t", input: { l: numbers } };
    expect(policy.evaluate(call)).toMatchObject({
      kind: "deny",
      terms: { reason: expect.stringContaining("too much work") },
    });
    expect(policy.explain(call).matched).toContainEqual(
      expect.objectContaining({ because: expect.stringContaining("takes too much work") }),
    );
  });

  it.each([
    ["loops in loops", nested, { l: numbers }],
    [
      "a search for one long text in another",
      "input.a.contains(input.b)",
      { a: "a".repeat(1e6), b: `${"a".repeat(4e5)}b${"a".repeat(4e5)}` },
    ],
    [
      "a split by a long text",
      "input.a.split(input.b) == []",
      { a: "a".repeat(1e6), b: `${"a".repeat(4e5)}b${"a".repeat(4e5)}` },
    ],
    [
      "pieces joined by a long text",
      "input.l.map(n, string(n)).join(input.a) == ''",
      { l: numbers, a: "a".repeat(1e6) },
    ],
    ["a pattern with many states", 'input.a.matches("[ab]*a[ab]{400}[cd]")', { a: "ab".repeat(1e7) }],
    [
      "nested quantifiers over a large text",
      'input.a.matches("^(\\\\w+\\\\s?)*$")',
      { a: `${"word ".repeat(1e6)}!` },
    ],
    [
      "time zones",
      "input.l.all(n, timestamp('2024-02-29T00:00:00Z').getHours('Europe/Berlin') < 24)",
      { l: Array.from({ length: 10_000 }, () => 1) },
    ],
    ["lists that grow", "input.l.map(a, input.l.map(b, input.l + input.l)) == []", { l: numbers }],
  ])("denies the call: %s", (_what, when, input) => {
    const policy = policyOf([{ verdict: "ask", when }]);
    expect(policy.evaluate({ toolName: "t", input })).toMatchObject({
      kind: "deny",
      terms: { reason: expect.stringContaining("too much work") },
    });
  });

  it("denies the call together with 300 others like it", () => {
    const policy = policyOf(
      Array.from({ length: 300 }, (_, index) => ({
        verdict: "ask",
        when: `${nested} || input.n == ${index}`,
      })),
    );
    expect(policy.evaluate({ toolName: "t", input: { l: numbers, n: 1 } }).kind).toBe("deny");
  });
});

describe("a condition over a large text", () => {
  const when = 'input.body.matches("(?i)password")';
  const input = (body: string) => ({ toolName: "t", input: { body } });

  it("is evaluated", () => {
    const policy = policyOf([{ verdict: "ask", when }]);
    const [harmless, telling] = [input("harmless ".repeat(2_000)), input(`${"x".repeat(16_000)} PassWord`)];
    expect([harmless, telling].map((call) => policy.evaluate(call).kind)).toEqual(["allow", "ask"]);
  });

  it("leaves enough work for the other rules of the policy", () => {
    const rules = [when, ...numbers.map((n) => `input.n == ${n} && input.list.all(item, item < 10)`)];
    const policy = policyOf(rules.map((rule) => ({ verdict: "ask", when: rule })));
    const call = { toolName: "t", input: { body: "x".repeat(9_000), n: 299, list: [1, 2, 3] } };
    expect(policy.explain(call).matched.map(({ id }) => id)).toEqual(["rules.300"]);
  });
});

it("an explanation does not quote values of the call", () => {
  const input = { secret: "S-4711", list: ["S-4711"], map: { "S-4711": "S-4711" }, n: 4711 };
  const conditions = [
    '{"a": 1}[input.secret] == 1',
    "duration(input.secret) == duration('1s')",
    "bool(input.secret)",
    "int(input.secret) == 1",
    "timestamp(input.secret) == timestamp('2024-02-29T00:00:00Z')",
    "[1][input.n] == 1",
    "input.map[input.n] == 1",
    "input.secret.substring(99) == ''",
    "input.secret > 5",
    "input.list == [5]",
    "input.secret",
    "input.secret.missing == 1",
  ];
  const policy = policyOf(conditions.map((when) => ({ verdict: "ask", when })));
  const { matched } = policy.explain({ toolName: "t", input });
  expect(matched).toHaveLength(conditions.length);
  expect(JSON.stringify(matched)).not.toContain("4711");
});
