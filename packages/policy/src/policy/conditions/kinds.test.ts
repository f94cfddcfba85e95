import { describe, expect, it } from "vitest";
import { compilePolicy } from "../compile-policy.js";
import { compileRule } from "../rules/compile-rule.js";
import type { VerdictKind } from "../rules/rule.js";
import { checkedRuleSchema } from "../rules/rule-schema.js";

/** The verdict for a call of a tool that has one rule. `fallback` is the default if the rule does not apply. */
function judged(verdict: VerdictKind, when: string, fallback: VerdictKind, input: unknown): VerdictKind {
  const rule = checkedRuleSchema.parse({ tools: "t", verdict, when });
  const policy = compilePolicy([
    {
      rules: [compileRule(rule, { layer: "code", place: "rule" })],
      defaults: [{ layer: "code", verdict: { kind: fallback } }],
      profiles: {},
      trustedServers: [],
      material: rule,
    },
  ]);
  return policy.evaluate({ toolName: "t", input }).kind;
}

describe("a value of the wrong type for a condition", () => {
  it.each<[VerdictKind, string, VerdictKind, unknown]>([
    ["deny", 'input.env in ["prod"]', "allow", { env: ["prod"] }],
    ["allow", '!(input.currency in ["USD"])', "deny", { currency: ["USD"] }],
    ["ask", '"admin" in input.roles', "allow", { roles: [["admin"]] }],
    ["ask", '"admin" in input.roles', "allow", { roles: { admin: true } }],
    ["allow", '"admin" in input.roles', "deny", { roles: ["admin", 5] }],
    ["deny", 'input.to == ["ceo@x"]', "allow", { to: [["ceo@x"]] }],
    ["deny", 'input.to == {"a": ["x"]}', "allow", { to: { a: [["x"]], b: 1 } }],
    ["allow", 'input.to != ["ceo@x"]', "deny", { to: ["ceo@x", "b"].map((to) => [to]) }],
    ["allow", 'input.to.all(t, t.endsWith("@ours"))', "deny", { to: { "x@ours": "evil@else" } }],
    ["deny", 'input.to.exists(t, t == "evil")', "allow", { to: { a: "evil" } }],
    ["deny", 'input.to.exists_one(t, t == "evil")', "allow", { to: { a: "evil" } }],
    ["deny", 'input.to.filter(t, t == "evil") == ["evil"]', "allow", { to: { a: "evil" } }],
    ["deny", 'input.to.map(t, t) == ["evil"]', "allow", { to: { a: "evil" } }],
    ["allow", 'input.to.exists(t, t == "ours")', "deny", { to: ["ours", { evil: true }] }],
    ["deny", 'input.to.all(t, t == "ours")', "allow", { to: [{ ours: true }, "evil"] }],
    ["ask", "size(input.to) > 3", "allow", { to: { a: 1 } }],
    ["ask", "size(input.to) > 3", "allow", { to: "ab" }],
    ["ask", "input.to.size() > 3", "allow", { to: { a: 1 } }],
    ["ask", "size(string(input.to)) > 3", "allow", { to: ["a"] }],
    ["ask", 'input.to[0] == "a"', "allow", { to: { 0: "b" } }],
    ["ask", "has(input.order.force)", "allow", { order: "text" }],
    ["allow", "!has(input.order.force)", "deny", { order: ["text"] }],
    ["deny", 'input.to.contains("evil")', "allow", { to: ["evil"] }],
    ["deny", 'input.to.matches("evil")', "allow", { to: ["evil"] }],
    ["ask", 'keys(input.labels).exists(key, key == "x")', "allow", { labels: ["x"] }],
  ])(
    "makes the rule apply, or an allow rule not apply: %s when %s, else %s",
    (verdict, when, fallback, input) => {
      expect(judged(verdict, when, fallback, input)).toBe(verdict === "allow" ? fallback : verdict);
    },
  );
});

describe("values of the right types for a condition", () => {
  it.each<[string, unknown, boolean]>([
    ['input.env in ["prod", "live"]', { env: "live" }, true],
    ['input.env in ["prod", "live"]', { env: "test" }, false],
    ['"amount" in input', { amount: 5 }, true],
    ['"a" in {"a": 1}', {}, true],
    ["input.to == []", { to: ["a"] }, false],
    ['input.to == ["a", "c"]', { to: ["a", "b"] }, false],
    ['input.to == ["a", "b"]', { to: ["a", null] }, false],
    ['input.card == {"a": [1], "b": [2]}', { card: { b: [2], a: [1] } }, true],
    ["size(input) == 2", { a: 1, b: {} }, true],
    ["size(keys(input.labels)) == 2", { labels: { a: 1, b: 2 } }, true],
    ['keys(input.labels).all(key, key.startsWith("x-"))', { labels: { "x-a": 1 } }, true],
    ["size(string(input.name)) == 3", { name: "a😀b" }, true],
    ["input.name.lowerAscii().size() == 2", { name: "AB" }, true],
    ["input.to.map(t, t.size() > 1, t.upperAscii()) == []", { to: [] }, true],
    ['input.to.map(t, t != "b", t + "!") == ["a!", "c!"]', { to: ["a", "b", "c"] }, true],
    ["input.to.exists_one(t, input.to.exists(u, u > t))", { to: [1, 2] }, true],
    ['input.name.matches("(?i)^ab+$") && input.name.matches("B")', { name: "aBB" }, true],
    ["timestamp(input.at).getFullYear() == 2024", { at: "2024-02-29T00:00:00Z" }, true],
    ['duration(input.wait) < duration("1h")', { wait: "90s" }, true],
    ["type(input.n) == double && type(input) == map", { n: 5 }, true],
    ["int(input.n) % 2 == 1 ? input.n < 10.0 : false", { n: 7 }, true],
    ["input.n == 5 && input.n >= 5u && -input.n < 0", { n: 5 }, true],
    ["input.list[1] == 2 && input.map['a b'].c == null", { list: [1, 2], map: { "a b": { c: null } } }, true],
  ])("are evaluated as in CEL: %s", (when, input, holds) => {
    expect(judged("deny", when, "allow", input)).toBe(holds ? "deny" : "allow");
    expect(judged("allow", when, "deny", input)).toBe(holds ? "allow" : "deny");
  });
});

describe("numbers that are not finite", () => {
  it.each([
    ["double(input.n) > 5.0", { n: "NaN" }],
    ["!(double(input.n) > 5.0)", { n: "NaN" }],
    ["double(input.n) < 5.0", { n: "-Infinity" }],
    ["!(input.part / input.whole > 0.5)", { part: 0, whole: 0 }],
    ["input.n * input.n > 0.0", { n: 1e200 }],
  ])("are in doubt: %s", (when, input) => {
    expect(judged("deny", when, "allow", input)).toBe("deny");
    expect(judged("allow", when, "deny", input)).toBe("deny");
  });
});
