import { describe, expect, it } from "vitest";
import { compilePolicy } from "../compile-policy.js";
import type { PolicyCall } from "../policy-call.js";
import type { PreviewFacts } from "../preview-facts.js";
import { compileRule } from "../rules/compile-rule.js";
import { compileCondition } from "../rules/condition.js";
import type { VerdictKind } from "../rules/rule.js";
import { checkedRuleSchema } from "../rules/rule-schema.js";

function judged(verdict: VerdictKind, when: string, fallback: VerdictKind, facts: PreviewFacts): VerdictKind {
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
  return policy.evaluate({ toolName: "t", input: { list: [] }, ...facts }).kind;
}

const orders = {
  effects: [
    { target: "order A-1", before: "paid", after: "refunded" },
    { target: "table orders", count: 400, after: null },
  ],
};

describe("a condition over the effects of a call", () => {
  it.each<[string, PreviewFacts, boolean]>([
    ["effects.size() == 2", orders, true],
    ["size(effects) > 10", orders, false],
    ["effects.size() == 0", { effects: [] }, true],
    ["effects.exists(e, has(e.count) && e.count > 100)", orders, true],
    ["effects.exists(e, has(e.count) && e.count > 400)", orders, false],
    ["effects.all(e, e.target.startsWith('order '))", orders, false],
    ["effects.exists(e, has(e.after) && e.after == null)", orders, true],
    ["effects[0].before == 'paid' && effects[1].count == 400", orders, true],
    ["reversible", { ...orders, reversible: true }, true],
    ["reversible == false", { ...orders, reversible: true }, false],
    ["!reversible", { ...orders, reversible: "30m" }, false],
    ["!reversible", { ...orders, reversible: false }, true],
    ["reversible == false", { ...orders, reversible: null }, true],
    ["reversible == false", orders, true],
  ])("is evaluated like one over arguments: %s", (when, facts, holds) => {
    expect(judged("deny", when, "allow", facts)).toBe(holds ? "deny" : "allow");
    expect(judged("allow", when, "deny", facts)).toBe(holds ? "allow" : "deny");
  });

  const readings = [
    "effects.size() > 10",
    "effects.size() == 0",
    "!(effects.size() > 10)",
    "effects.exists(e, true)",
    "!effects.exists(e, true)",
    "effects.all(e, true)",
    "effects == []",
    "effects != []",
    "effects == input.list",
    "!('x' in effects)",
    "type(effects) == list",
    "dyn(effects) == null",
    "dyn(effects) != null",
    "null in [dyn(effects)]",
    "size([effects]) == 1",
    "(reversible ? [] : effects) == []",
  ];
  const unknown: [string, PreviewFacts][] = [
    ["absent", {}],
    ["null", { effects: null }],
    ["no list", { effects: "none" as unknown as PolicyCall["effects"] }],
  ];
  it.each(unknown.flatMap(([name, facts]) => readings.map((when) => [name, when, facts] as const)))(
    "cannot be evaluated if they are unknown (%s), so that it only tightens: %s",
    (_, when, facts) => {
      expect(judged("deny", when, "allow", facts)).toBe("deny");
      expect(judged("ask", when, "allow", facts)).toBe("ask");
      expect(judged("allow", when, "deny", facts)).toBe("deny");
      expect(judged("notify", when, "deny", facts)).toBe("deny");
    },
  );

  it("cannot be evaluated if it reads the count of an effect that has none", () => {
    expect(judged("ask", "effects.exists(e, e.count > 1000)", "allow", orders)).toBe("ask");
    expect(judged("allow", "effects.all(e, e.count < 1000)", "deny", orders)).toBe("deny");
  });

  it.each<[PolicyCall["reversible"], PolicyCall["effects"]]>([
    [true, null],
    ["30m", undefined],
    ["0s", []],
    ["", []],
    ["later", []],
    ["x".repeat(200), []],
    [1 as unknown as boolean, []],
  ])(
    "counts what is not known to be reversible as irreversible: %s with effects %s",
    (reversible, effects) => {
      expect(judged("deny", "!reversible", "allow", { reversible, effects })).toBe("deny");
      expect(judged("allow", "reversible", "deny", { reversible, effects })).toBe("deny");
    },
  );

  it.each(["effects == null", "effects > 10", 'reversible == "30m"', "effects.amount > 1"])(
    "is refused if its types do not fit: %s",
    (when) => {
      expect(() => compileCondition(when)).toThrow();
    },
  );

  it.each([
    ["effects.size() > 1", true],
    ["input.a == 1 || !reversible", true],
    ["input.to.exists(to, effects.exists(e, e.target == to))", true],
    ["input.effects.size() > 1 && input.reversible", false],
    ["input.to.exists(effects, effects == 'reversible')", false],
  ])("says whether it reads them: %s: %s", (when, reads) => {
    expect(compileCondition(when).readsEffects).toBe(reads);
  });
});
