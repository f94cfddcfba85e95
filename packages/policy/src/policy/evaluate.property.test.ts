// Compares the policy evaluator with a second, simpler engine, which all properties of this file share.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePolicy, type PolicySource } from "./compile-policy.js";
import type { LayerDefault } from "./evaluate.js";
import type { Policy } from "./policy.js";
import { type Layer, layers, type McpFacts, type PolicyCall } from "./policy-call.js";
import { compileRule } from "./rules/compile-rule.js";
import type { CompiledRule } from "./rules/compiled-rule.js";
import { decisionTypes, risks, type VerdictKind, verdictKinds } from "./rules/rule.js";
import { checkedRuleSchema } from "./rules/rule-schema.js";
import type { ResolvedTerms } from "./rules/term-table.js";
import type { Terms } from "./rules/terms.js";
import { threadRules } from "./rules/thread-rules.js";
import type { Verdict } from "./rules/verdict.js";

/** A rule of the second engine. It knows the verdict of the rule without the evaluator. */
interface KnownRule {
  compiled: CompiledRule;
  /** The rule's verdict for a call: `undefined` if the rule does not apply, `"fault"` if it fails. */
  says(call: PolicyCall): VerdictKind | "fault" | undefined;
}

const strictness = (kind: VerdictKind) => ["allow", "notify", "ask", "manual", "deny"].indexOf(kind);
const strictest = (kinds: readonly VerdictKind[]): VerdictKind =>
  kinds.reduce((top, kind) => (strictness(kind) > strictness(top) ? kind : top), "allow");
const isAsked = (kind: VerdictKind) => kind === "ask" || kind === "manual";
const runs = (kind: VerdictKind) => kind === "allow" || kind === "notify";

/** Checks that nobody may decide, now or later, who could not before, and that a denial counts for no less. */
function expectNoFurtherDeciders(before: ResolvedTerms, after: ResolvedTerms): void {
  expect(after.quorum).toBeGreaterThanOrEqual(before.quorum);
  expect(after.denials).toBeLessThanOrEqual(before.denials);
  expect(after.extensions).toBeLessThanOrEqual(before.extensions);
  expect(after.delegable && !before.delegable).toBe(false);
  const escalatesTo = ({ escalation }: ResolvedTerms) => escalation.flatMap(({ escalateTo }) => escalateTo);
  expect(escalatesTo(before)).toEqual(expect.arrayContaining(escalatesTo(after)));
}

const toolNames = [
  "refund",
  "issue_refund",
  "lookup",
  "files/delete",
  "..",
  "__proto__",
  "toString",
] as const;

/** Globs with what they mean, written without a glob library. */
const patterns: Record<string, (name: string) => boolean> = {
  "*": () => true,
  refund: (name) => name === "refund",
  "*refund": (name) => name.endsWith("refund"),
  "{refund,lookup}": (name) => name === "refund" || name === "lookup",
  "files/*": (name) => name.startsWith("files/"),
  "*delete": (name) => name.endsWith("delete"),
  "[!l]*": (name) => !name.startsWith("l"),
  __proto__: (name) => name === "__proto__",
  nothing: () => false,
};

/** Conditions with what they mean: `undefined` if they are in doubt. */
const conditions: Record<string, (call: PolicyCall) => boolean | undefined> = {
  "input.amount > 100": ({ input }) => ofNumber(input, (amount) => amount > 100),
  "input.amount == 50": ({ input }) => amountOf(input) !== null && ofNumber(input, (amount) => amount === 50),
  "input.amount != 50": ({ input }) => amountOf(input) === null || ofNumber(input, (amount) => amount !== 50),
  "!(input.amount <= 100)": ({ input }) => ofNumber(input, (amount) => amount > 100),
  "tool.name.size() > 6": ({ toolName }) => toolName.length > 6,
  '"lead" in principal.roles': ({ principal }) => principal?.roles.includes("lead"),
  "input.amount": ({ input }) => (amountOf(input) === true ? true : undefined),
};

function amountOf(input: unknown): unknown {
  const own = typeof input === "object" && input !== null && Object.hasOwn(input, "amount");
  return own ? (input as { amount: unknown }).amount : undefined;
}

function ofNumber(input: unknown, holds: (amount: number) => boolean): boolean | undefined {
  const amount = amountOf(input);
  return typeof amount === "number" ? holds(amount) : undefined;
}

const duration = fc.constantFrom("10s", "5m", "2 days");
const field = fc.constantFrom("amount", "note", "customer.email");
const names = fc.uniqueArray(fc.constantFrom("ann", "bob", "lead"), { maxLength: 3 });
const optional = { requiredKeys: [] as [] };
const termsOf: fc.Arbitrary<Terms> = fc.record(
  {
    reason: fc.constantFrom("because", "money"),
    summary: fc.constantFrom("Refund {{amount}}", "Do it"),
    risk: fc.constantFrom(...risks),
    approvers: fc
      .record({ roles: names, ids: names }, optional)
      .filter(({ roles = [], ids = [] }) => roles.length + ids.length > 0),
    requesterMayNotApprove: fc.boolean(),
    decisions: fc.uniqueArray(fc.constantFrom("deny" as const, "respond" as const), { minLength: 1 }),
    editable: fc.uniqueArray(field, { maxLength: 2 }),
    timeout: duration,
    redact: fc.uniqueArray(field, { maxLength: 2 }),
    idempotent: fc.boolean(),
    quorum: fc.constantFrom(1, 2, 3),
    denials: fc.constantFrom(1, 2, 3),
    extensions: fc.constantFrom(0, 3, 9),
    delegable: fc.boolean(),
    escalation: fc.array(fc.record({ after: duration, escalateTo: names }), { maxLength: 2 }),
    codePreview: fc.record({ field, object: fc.constantFrom("codemode", "tools") }),
  },
  optional,
);

const pattern = fc.constantFrom(...Object.keys(patterns));
const place = { layer: fc.constantFrom<Layer>(...layers.filter((layer) => layer !== "built-in")) };
const profileNames = ["calm", "strict"] as const;

let count = 0;
const meant = (name: string, tools: readonly string[], except: readonly string[]) =>
  tools.some((glob) => patterns[glob]?.(name)) && !except.some((glob) => patterns[glob]?.(name));

const fixedRule = fc
  .record({
    ...place,
    verdict: fc.constantFrom(...verdictKinds),
    tools: fc.array(pattern, { minLength: 1, maxLength: 2 }),
    except: fc.option(fc.array(pattern, { minLength: 1, maxLength: 2 }), { nil: [], freq: 4 }),
    when: fc.option(fc.constantFrom(...Object.keys(conditions)), { nil: undefined }),
    terms: termsOf,
    profile: fc.option(fc.constantFrom(...profileNames), { nil: undefined, freq: 4 }),
  })
  .map(({ layer, verdict, tools, except, when, terms, profile }): KnownRule => {
    const { quorum, ...others } = terms;
    const rule = checkedRuleSchema.parse({
      ...others,
      ...(quorum !== undefined && verdict !== "manual" ? { quorum } : {}),
      tools,
      verdict,
      ...(except.length > 0 ? { except } : {}),
      ...(when ? { when } : {}),
    });
    count += 1;
    const at = { layer, place: `rules.${count}`, ...(profile ? { profile } : {}) };
    return {
      compiled: compileRule(rule, at),
      says(call) {
        if (!meant(call.toolName, tools, except)) return undefined;
        const holds = when === undefined ? true : conditions[when]?.(call);
        if (holds === undefined) return runs(verdict) ? undefined : verdict;
        return holds ? verdict : undefined;
      },
    };
  });

const hostile = {
  toString() {
    throw new Error("do not look at me");
  },
};
const nonsense: unknown[] = [
  null,
  0,
  "allow",
  ["allow"],
  {},
  { kind: "ALLOW" },
  { kind: hostile },
  { kind: Symbol("allow") },
  { kind: "toString" },
  { kind: "ask", approvers: "ann" },
  { kind: "ask", aprovers: { roles: ["lead"] } },
  { kind: "allow", timeout: "never" },
  { kind: "notify", redact: 5 },
  Promise.resolve({ kind: "allow" }),
  new Proxy({}, { get: () => hostile.toString() }),
];
const thrown: unknown[] = [
  new Error("broken"),
  "a string",
  undefined,
  null,
  hostile,
  Object.create(null),
  Object.assign(new Error("x"), { message: hostile }),
];

/** A rule in code that returns or throws what `does` says. */
const codeRuleWith = (does: fc.Arbitrary<{ returns?: unknown; throws?: unknown; kind?: VerdictKind }>) =>
  fc.record({ ...place, tool: pattern, does }).map(({ layer, tool, does }): KnownRule => {
    count += 1;
    const decide = () => {
      if ("throws" in does) throw does.throws;
      return does.returns as Verdict | undefined;
    };
    return {
      compiled: {
        id: `rules.${count}`,
        layer,
        tools: [tool],
        except: [],
        effect: { kind: "function", decide },
      },
      says: ({ toolName }) => {
        if (!patterns[tool]?.(toolName)) return undefined;
        if ("throws" in does) return "fault";
        return does.returns === undefined ? undefined : (does.kind ?? "fault");
      },
    };
  });

const soundCode = fc.oneof(
  fc.constant({ returns: undefined }),
  fc
    .tuple(fc.constantFrom(...verdictKinds), termsOf)
    .map(([kind, terms]) => ({ returns: { ...terms, kind }, kind })),
);
const brokenCode = fc.oneof(
  fc.constantFrom(...nonsense).map((returns) => ({ returns })),
  fc.constantFrom(...thrown).map((value) => ({ throws: value })),
);
const soundRule = fc.oneof({ weight: 4, arbitrary: fixedRule }, codeRuleWith(soundCode));
const anyRule = fc.oneof({ weight: 8, arbitrary: soundRule }, codeRuleWith(brokenCode));
const anyRules = fc.array(anyRule, { maxLength: 7 });
const soundRules = fc.array(soundRule, { maxLength: 7 });

const layerDefault: fc.Arbitrary<LayerDefault> = fc
  .record({ ...place, kind: fc.constantFrom(...verdictKinds), terms: termsOf })
  .map(({ layer, kind, terms }) => ({ layer, verdict: { ...terms, kind } }));
const anyDefaults = fc.option(fc.array(layerDefault, { maxLength: 2 }), { nil: [] });

const mcp: fc.Arbitrary<McpFacts> = fc.record(
  {
    server: fc.constantFrom("trusted", "stranger"),
    readOnlyHint: fc.constantFrom(true, false, undefined),
    destructiveHint: fc.constantFrom(true, false, undefined),
  },
  { requiredKeys: ["server"] },
);
const amounts: unknown[] = [50, 100, 101, 5000.5, "5000", null, true, [200], { value: 200 }];
const anyInput = fc.oneof(
  fc.constantFrom(...amounts).map((amount) => ({ amount })),
  fc.constantFrom<unknown>(
    {},
    null,
    undefined,
    [],
    "text",
    7,
    [{ amount: 200 }],
    Object.create({ amount: 200 }),
  ),
);
const anyCall: fc.Arbitrary<PolicyCall> = fc.record(
  {
    toolName: fc.constantFrom(...toolNames),
    input: anyInput,
    principal: fc.constantFrom(null, { id: "ann", roles: [] }, { id: "bob", roles: ["lead"] }),
    profile: fc.constantFrom(undefined, ...profileNames, "unknown", "__proto__"),
    mcp: fc.option(mcp, { nil: undefined, freq: 1 }),
  },
  { requiredKeys: ["toolName", "input"] },
);

const policyOf = (rules: readonly KnownRule[], defaults: readonly LayerDefault[] = []) =>
  policyFrom([sourceOf(rules, defaults)]);
const policyFrom = (sources: PolicySource[]) => compilePolicy(sources);
const sourceOf = (rules: readonly KnownRule[], defaults: readonly LayerDefault[]): PolicySource => ({
  rules: rules.map(({ compiled }) => compiled),
  defaults,
  profiles: { calm: [], strict: ["calm"] },
  trustedServers: ["trusted"],
  material: null,
});

function activeRules(rules: readonly KnownRule[], profile: string | undefined): KnownRule[] {
  const bound = profile === "strict" ? ["strict", "calm"] : profile === "calm" ? ["calm"] : [];
  return rules.filter(({ compiled }) => compiled.profile === undefined || bound.includes(compiled.profile));
}

function mcpSays(facts: McpFacts | undefined): VerdictKind | undefined {
  if (!facts) return undefined;
  if (facts.server === "trusted") {
    if (facts.readOnlyHint === true) return "allow";
    return facts.destructiveHint === true ? "ask" : undefined;
  }
  return facts.readOnlyHint === true || facts.destructiveHint === false ? undefined : "ask";
}

/** The verdict of the second engine, which follows the documentation. */
function expectedKind(rules: readonly KnownRule[], defaults: readonly LayerDefault[], call: PolicyCall) {
  if (![undefined, "calm", "strict"].includes(call.profile)) return "deny";
  const verdicts = activeRules(rules, call.profile).flatMap((rule) => rule.says(call) ?? []);
  if (verdicts.includes("fault")) return "deny";
  const kinds = verdicts as VerdictKind[];
  const hint = mcpSays(call.mcp);
  if (kinds.length === 0 && hint !== "allow") {
    kinds.push(...(defaults.length > 0 ? defaults.map(({ verdict }) => verdict.kind) : ["deny" as const]));
  }
  return strictest(hint ? [...kinds, hint] : kinds);
}

const kindOf = (policy: Policy, call: PolicyCall) => policy.evaluate(call).kind;

/** The verdict and its terms, without the texts, which follow the order of the rules. */
function decided(policy: Policy, call: PolicyCall) {
  const { kind, terms } = policy.evaluate(call);
  const { reason: _, reasons: __, summary: ___, ...others } = terms;
  return { kind, ...others };
}

const hasNoApprovers = (policy: Policy, call: PolicyCall) =>
  policy.explain(call).matched.some(({ id }) => id === "approvers");

const askWith = (terms: Terms): KnownRule["compiled"] => ({
  id: "x",
  layer: "code",
  tools: ["refund"],
  except: [],
  effect: { kind: "static", verdict: "ask", terms },
});

const many = { numRuns: 200 };

describe("the verdict", () => {
  it("equals the one of the second engine: that of the strictest matching rule", () => {
    fc.assert(
      fc.property(anyRules, anyDefaults, anyCall, (rules, defaults, call) => {
        const policy = policyOf(rules, defaults);
        const expected = expectedKind(rules, defaults, call);
        // Rules whose approvers exclude each other are the one case in which no rule gives the verdict.
        expect(kindOf(policy, call)).toBe(hasNoApprovers(policy, call) ? "deny" : expected);
        if (hasNoApprovers(policy, call)) expect(["ask", "manual"]).toContain(expected);
      }),
      { numRuns: 600 },
    );
  });

  it("and its terms do not depend on the order of rules and layers, or on how they are split", () => {
    const shuffled = anyRules.chain((rules) =>
      fc.tuple(
        fc.constant(rules),
        fc.shuffledSubarray(rules, { minLength: rules.length }),
        fc.nat({ max: rules.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, anyDefaults, anyCall, ([rules, other, cut], defaults, call) => {
        const split = policyFrom([
          sourceOf(other.slice(cut), [...defaults].reverse()),
          sourceOf(other.slice(0, cut), []),
        ]);
        expect(decided(split, call)).toEqual(decided(policyOf(rules, defaults), call));
      }),
      many,
    );
  });

  it("is the same when it is evaluated again and when it is explained", () => {
    fc.assert(
      fc.property(anyRules, anyDefaults, fc.array(anyCall, { maxLength: 6 }), (rules, defaults, calls) => {
        const policy = policyOf(rules, defaults);
        const first = calls.map((call) => policy.evaluate(call));
        expect(calls.map((call) => policy.evaluate(call))).toEqual(first);
        expect(calls.map((call) => policy.explain(call).kind)).toEqual(first.map(({ kind }) => kind));
        expect(calls.map((call) => policyOf(rules, defaults).evaluate(call))).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });
});

describe("an additional rule", () => {
  const ruledBefore = (rules: readonly KnownRule[], call: PolicyCall) =>
    activeRules(rules, call.profile).some((rule) => rule.says(call) !== undefined);

  it("with the verdict ask or a stricter one never loosens the verdict of another rule", () => {
    const strictRule = soundRule.filter(({ compiled: { effect } }) => {
      const kind =
        effect.kind === "static" ? effect.verdict : effect.decide({ toolName: "", input: null })?.kind;
      return kind !== undefined && !runs(kind);
    });
    fc.assert(
      fc.property(anyRules, anyDefaults, strictRule, anyCall, (rules, defaults, added, call) => {
        const before = kindOf(policyOf(rules, defaults), call);
        const after = kindOf(policyOf([...rules, added], defaults), call);
        if (ruledBefore(rules, call)) expect(strictness(after)).toBeGreaterThanOrEqual(strictness(before));
        expect(runs(after) && !runs(before)).toBe(false);
      }),
      many,
    );
  });

  it("with any verdict leaves a call denied that another rule denies", () => {
    fc.assert(
      fc.property(anyRules, anyDefaults, anyRule, anyCall, (rules, defaults, added, call) => {
        fc.pre(ruledBefore(rules, call) && kindOf(policyOf(rules, defaults), call) === "deny");
        expect(kindOf(policyOf([added, ...rules], defaults), call)).toBe("deny");
      }),
      many,
    );
  });
});

describe("the terms of several rules", () => {
  const merged = (all: readonly Terms[], kind: VerdictKind = "ask") => {
    const rules = all.map(askWith).map((rule) => ({ ...rule, effect: { ...rule.effect, verdict: kind } }));
    const source = { ...sourceOf([], []), rules: rules as CompiledRule[] };
    return compilePolicy([source]).evaluate({ toolName: "refund", input: {} });
  };
  const severalTerms = fc.array(termsOf, { minLength: 1, maxLength: 4 });

  it("only become narrower with an additional rule of the same verdict", () => {
    fc.assert(
      fc.property(severalTerms, termsOf, fc.constantFrom("ask", "manual"), (all, added, kind) => {
        const before = merged(all, kind as VerdictKind);
        const after = merged([...all, added], kind as VerdictKind);
        fc.pre(after.kind === kind);
        expect(before.kind).toBe(kind);
        const { roles, ids } = before.terms.approvers;
        if (roles.length + ids.length > 0) {
          expect(after.terms.approvers.roles.length + after.terms.approvers.ids.length).toBeGreaterThan(0);
          expect(roles).toEqual(expect.arrayContaining(after.terms.approvers.roles));
          expect(ids).toEqual(expect.arrayContaining(after.terms.approvers.ids));
        }
        expect(after.terms.redact).toEqual(expect.arrayContaining(before.terms.redact));
        expect(after.terms.requesterMayNotApprove || !before.terms.requesterMayNotApprove).toBe(true);
        expect(after.terms.quorum).toBeGreaterThanOrEqual(before.terms.quorum);
        if (before.terms.timeoutMs !== null) {
          expect(after.terms.timeoutMs).toBeLessThanOrEqual(before.terms.timeoutMs);
        }
      }),
      many,
    );
  });

  it("let nobody decide whom one of the rules excludes", () => {
    fc.assert(
      fc.property(severalTerms, (all) => {
        const { kind, terms } = merged(all);
        fc.pre(kind === "ask");
        const anybody = terms.approvers.roles.length + terms.approvers.ids.length === 0;
        for (const { approvers } of all.filter(({ approvers }) => approvers)) {
          expect(anybody).toBe(false);
          expect(approvers?.roles ?? []).toEqual(expect.arrayContaining(terms.approvers.roles));
          expect(approvers?.ids ?? []).toEqual(expect.arrayContaining(terms.approvers.ids));
        }
      }),
      many,
    );
  });

  it("offer at least one decision, only those that every rule offers, and under manual no run", () => {
    const anyTerms = fc.record(
      { decisions: fc.uniqueArray(fc.constantFrom(...decisionTypes), { minLength: 1 }) },
      optional,
    );
    fc.assert(
      fc.property(
        fc.array(anyTerms, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("ask", "manual"),
        (all, kind) => {
          const { decisions } = merged(all, kind as VerdictKind).terms;
          expect(decisions.length).toBeGreaterThan(0);
          for (const type of decisions.filter((type) => type !== "deny")) {
            for (const terms of all) expect(terms.decisions ?? decisions).toContain(type);
            if (all.every((terms) => !terms.decisions)) expect(["approve", "respond"]).toContain(type);
          }
          if (kind === "manual") expect(decisions).not.toContain("approve");
          if (kind === "manual") expect(decisions).not.toContain("edit");
        },
      ),
      many,
    );
  });

  it("let an edit change only fields that every rule opens", () => {
    const editing = fc.record({
      decisions: fc.constant<Terms["decisions"]>(["approve", "edit", "deny"]),
      editable: fc.option(fc.uniqueArray(field, { maxLength: 3 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(editing, { minLength: 1, maxLength: 3 }), (all) => {
        const { decisions, editable } = merged(
          all.map(({ editable, decisions }) => ({ decisions, editable })),
        ).terms;
        for (const { editable: own } of all) {
          if (own && decisions.includes("edit")) {
            expect(editable.length).toBeGreaterThan(0);
            expect(own).toEqual(expect.arrayContaining(editable));
          }
        }
        const opened = all.filter(({ editable: own }) => own !== undefined);
        // An edit needs a field that some rule opens and none closes.
        if (opened.length === 0) expect(decisions).not.toContain("edit");
        if (opened.length > 0 && opened.every(({ editable: own }) => own?.includes("amount"))) {
          expect(decisions).toContain("edit");
        }
      }),
      many,
    );
  });

  it("take the highest risk and quorum, the shortest timeout, and every redaction and exclusion", () => {
    const milliseconds = { "10s": 10_000, "5m": 300_000, "2 days": 172_800_000 } as Record<string, number>;
    fc.assert(
      fc.property(severalTerms, (all) => {
        const { terms } = merged(all, "deny");
        const levels = all.flatMap(({ risk }) => risk ?? []);
        const order = ["low", "medium", "high", "critical"];
        const top = levels.length > 0 ? Math.max(...levels.map((risk) => order.indexOf(risk))) : 1;
        expect(terms.risk).toBe(order[top]);
        const times = all.flatMap(({ timeout }) => (timeout ? [milliseconds[timeout] ?? 0] : []));
        expect(terms.timeoutMs).toBe(times.length > 0 ? Math.min(...times) : null);
        expect(new Set(terms.redact)).toEqual(new Set(all.flatMap(({ redact }) => redact ?? [])));
        expect(terms.requesterMayNotApprove).toBe(all.some((one) => one.requesterMayNotApprove));
        expect(terms.quorum).toBe(Math.max(1, ...all.map(({ quorum }) => quorum ?? 1)));
      }),
      many,
    );
  });

  it("redact what any matching rule redacts, whatever its verdict", () => {
    fc.assert(
      fc.property(soundRules, anyCall, (rules, call) => {
        const { redact } = policyOf(rules).evaluate(call).terms;
        for (const rule of activeRules(rules, call.profile)) {
          const { effect } = rule.compiled;
          if (effect.kind !== "static" || rule.says(call) === undefined) continue;
          expect(redact).toEqual(expect.arrayContaining(effect.terms.redact ?? []));
        }
      }),
      many,
    );
  });

  it("apply the limits of an ask rule to a manual verdict as well", () => {
    fc.assert(
      fc.property(termsOf, termsOf, (asking, manually) => {
        const ask = askWith(asking);
        const manual = {
          ...ask,
          effect: { kind: "static" as const, verdict: "manual" as const, terms: manually },
        };
        const source = { ...sourceOf([], []), rules: [ask, manual] };
        const { kind, terms } = compilePolicy([source]).evaluate({ toolName: "refund", input: {} });
        const both = merged([asking, manually]);
        expect(kind).toBe(both.kind === "deny" || both.terms.quorum > 1 ? "deny" : "manual");
        expect(terms.approvers).toEqual(both.terms.approvers);
        expect(terms.requesterMayNotApprove).toBe(both.terms.requesterMayNotApprove);
        expect(terms.timeoutMs).toBe(both.terms.timeoutMs);
        expect(terms.quorum).toBe(both.terms.quorum);
        expect(terms.risk).toBe(both.terms.risk);
      }),
      many,
    );
  });
});

describe("a fault", () => {
  const cyclic: Record<string, unknown> = { amount: 200 };
  cyclic.self = cyclic;
  const fail = (): never => {
    throw new Error("not for you");
  };
  const throwing = {
    get amount() {
      return fail();
    },
  };
  /** Functions that make the input anew for each call, because the generator cannot inspect such values. */
  const hostileInput = fc.oneof(
    fc.oneof(anyInput, fc.anything()).map((input) => () => input),
    fc.constantFrom<() => unknown>(
      () => cyclic,
      () => throwing,
      () => JSON.parse('{"__proto__": {"amount": 200}, "constructor": 1}'),
      () => Object.create({ amount: 200 }),
      () => ({ amount: "9".repeat(1_000_000) }),
      () => ({ amount: () => 200 }),
      () => ({ amount: Symbol("200") }),
      () => ({ amount: new Number(200) }),
      () => new Map([["amount", "200"]]),
      () => new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail }),
    ),
  );

  it("in the arguments never lets a call run that no rule allows", () => {
    fc.assert(
      fc.property(anyRules, fc.constantFrom(...toolNames), hostileInput, (rules, toolName, make) => {
        const doubted = rules.filter((rule) =>
          runs(rule.says({ toolName, input: { amount: [] } }) as VerdictKind),
        );
        const others = rules.filter((rule) => !doubted.includes(rule) && !holdsForNumbers(rule));
        const { kind } = policyOf(others).evaluate({ toolName, input: make() });
        expect(runs(kind)).toBe(false);
      }),
      many,
    );
    function holdsForNumbers({ compiled: { effect } }: KnownRule): boolean {
      return effect.kind === "static" && effect.when !== undefined && runs(effect.verdict);
    }
  });

  it("in a condition makes an allow or notify rule not apply, and every other rule apply", () => {
    const inDoubt = hostileInput.filter((make) => {
      try {
        const amount = amountOf(make());
        return typeof amount !== "number" && amount !== null;
      } catch {
        return true;
      }
    });
    const about = fc.constantFrom("input.amount > 100", "input.amount != 50", "input.amount == 50");
    fc.assert(
      fc.property(inDoubt, about, fc.constantFrom(...verdictKinds), (make, when, verdict) => {
        const written = checkedRuleSchema.parse({ tools: "*", verdict, when });
        const rules = [compileRule(written, { layer: "code", place: "rule" })];
        const policy = compilePolicy([{ ...sourceOf([], []), rules }]);
        expect(policy.evaluate({ toolName: "refund", input: make() }).kind).toBe(
          runs(verdict) ? "deny" : verdict,
        );
      }),
      many,
    );
  });

  it("in a function denies the call, whatever other rules say", () => {
    const broken = codeRuleWith(brokenCode);
    fc.assert(
      fc.property(anyRules, anyDefaults, broken, anyCall, (rules, defaults, rule, call) => {
        fc.pre(rule.says(call) !== undefined);
        expect(kindOf(policyOf([...rules, rule], defaults), call)).toBe("deny");
      }),
      many,
    );
  });

  it("in the call itself denies the call, and does not throw", () => {
    const rules = [{ tools: ["*"], verdict: "allow" as const }].map((rule) =>
      compileRule(checkedRuleSchema.parse(rule), { layer: "code", place: "all" }),
    );
    const policy = compilePolicy([{ ...sourceOf([], []), rules }]);
    expect(policy.evaluate({ toolName: "x", input: null }).kind).toBe("allow");
    const calls: unknown[] = [
      {},
      { toolName: null },
      { toolName: 5 },
      { toolName: ["x"] },
      { toolName: "x", profile: null },
      { toolName: "x", profile: {} },
      { toolName: "x", thread: { rules: 7 } },
      { toolName: "x", thread: { rules: [{}] } },
      {
        toolName: "x",
        thread: {
          get rules() {
            throw new Error("gone");
          },
        },
      },
      {
        toolName: "x",
        get mcp() {
          throw new Error("gone");
        },
      },
    ];
    for (const call of calls) {
      expect(policy.evaluate(call as PolicyCall).kind).toBe("deny");
      expect(policy.explain(call as PolicyCall).kind).toBe("deny");
    }
  });
});

describe("a tool without a rule", () => {
  it("never runs if no layer sets a default", () => {
    const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "", "a".repeat(100_000)));
    fc.assert(
      fc.property(
        soundRules,
        name,
        anyInput,
        fc.option(mcp, { nil: undefined }),
        (rules, toolName, input, facts) => {
          fc.pre(!rules.some(({ compiled }) => compiled.tools.some((glob) => patterns[glob]?.(toolName))));
          fc.pre(!(facts?.server === "trusted" && facts.readOnlyHint === true));
          expect(policyOf(rules).evaluate({ toolName, input, mcp: facts }).kind).toBe("deny");
        },
      ),
      many,
    );
  });
});

describe("MCP annotations of an untrusted server", () => {
  it("only tighten the verdict", () => {
    fc.assert(
      fc.property(anyRules, anyDefaults, anyCall, mcp, (rules, defaults, call, facts) => {
        const policy = policyOf(rules, defaults);
        const without = kindOf(policy, { ...call, mcp: undefined });
        const withHints = kindOf(policy, { ...call, mcp: { ...facts, server: "stranger" } });
        expect(strictness(withHints)).toBeGreaterThanOrEqual(strictness(without));
      }),
      many,
    );
  });
});

describe("a call without a preview", () => {
  const leastVerdict = fc.constantFrom("ask" as const, "deny" as const, undefined);
  const rulesWithLeast = fc
    .array(fc.tuple(soundRule, leastVerdict), { maxLength: 6 })
    .map((pairs) => pairs.map(([rule, least]) => ({ rule, least, raised: withLeast(rule, least) })));

  function withLeast({ compiled, says }: KnownRule, withoutPreview: "ask" | "deny" | undefined): KnownRule {
    const { effect } = compiled;
    if (effect.kind === "function") {
      const decide = (call: PolicyCall) => {
        const verdict = effect.decide(call);
        return verdict && { ...verdict, withoutPreview };
      };
      return { says, compiled: { ...compiled, effect: { kind: "function", decide } } };
    }
    const terms = { ...effect.terms, withoutPreview };
    return { says, compiled: { ...compiled, effect: { ...effect, terms } } };
  }

  it("gets the strictest withoutPreview of its rules, or their verdict if that is stricter", () => {
    fc.assert(
      fc.property(rulesWithLeast, anyDefaults, anyCall, (pairs, defaults, call) => {
        const rules = pairs.map(({ rule }) => rule);
        const policy = policyOf(
          pairs.map(({ raised }) => raised),
          defaults,
        );
        const active = activeRules(rules, call.profile).filter((rule) => rule.says(call) !== undefined);
        const least = pairs.flatMap((pair) => (active.includes(pair.rule) ? (pair.least ?? []) : []));
        const expected = strictest([expectedKind(rules, defaults, call), ...least]);
        expect(kindOf(policy, call)).toBe(hasNoApprovers(policy, call) ? "deny" : expected);
        if (hasNoApprovers(policy, call)) expect(["ask", "manual"]).toContain(expected);
      }),
      { numRuns: 600 },
    );
  });

  it("is judged like one with a preview, but never more loosely", () => {
    fc.assert(
      fc.property(rulesWithLeast, anyDefaults, anyCall, (pairs, defaults, call) => {
        const policy = policyOf(
          pairs.map(({ raised }) => raised),
          defaults,
        );
        const before = policy.evaluate({ ...call, effects: [{ target: "an order" }] });
        const after = policy.evaluate(call);
        expect(strictness(after.kind)).toBeGreaterThanOrEqual(strictness(before.kind));
        if (pairs.every(({ least }) => least === undefined)) expect(after).toEqual(before);
        expect(after.terms.redact).toEqual(before.terms.redact);
        if (isAsked(before.kind) && isAsked(after.kind)) expectNoLooser(before.terms, after.terms);
      }),
      many,
    );
  });

  function expectNoLooser(before: ResolvedTerms, after: ResolvedTerms): void {
    expectNoFurtherDeciders(before, after);
    const { roles, ids } = before.approvers;
    if (roles.length > 0) expect(roles).toEqual(expect.arrayContaining(after.approvers.roles));
    if (ids.length > 0) expect(ids).toEqual(expect.arrayContaining(after.approvers.ids));
    const decisions = after.decisions.filter((type) => type !== "deny");
    expect(before.decisions).toEqual(expect.arrayContaining(decisions));
    expect(before.editable).toEqual(expect.arrayContaining(after.editable));
    expect(before.grantable).toEqual(expect.arrayContaining(after.grantable));
    expect(after.idempotent && !before.idempotent).toBe(false);
  }

  it("gets nothing but limits from a rule that lets only calls with a preview run", () => {
    fc.assert(
      fc.property(termsOf, termsOf, (asking, running) => {
        const terms = { ...running, withoutPreview: "ask" as const };
        const run = { ...askWith({}), effect: { kind: "static" as const, verdict: "allow" as const, terms } };
        const policy = policyFrom([{ ...sourceOf([], []), rules: [askWith(asking), run] }]);
        const call = { toolName: "refund", input: {} };
        const before = policy.evaluate({ ...call, effects: [] });
        const after = policy.evaluate(call);
        expect(strictness(after.kind)).toBeGreaterThanOrEqual(strictness(before.kind));
        if (after.kind === "ask") expectNoLooser(before.terms, after.terms);
      }),
      many,
    );
  });

  /** Conditions that say more the more a call does. Unknown effects meet all of them. */
  const tightening = [
    "effects.size() > 1",
    "effects.exists(e, e.count > 10)",
    "!reversible",
    "effects != []",
  ];
  /** Conditions that say less the more a call does. Unknown effects meet none of them. */
  const loosening = ["effects.size() < 2", "effects.all(e, e.count < 10)", "reversible", "effects == []"];
  const ruleOnEffects = fc
    .record({
      verdict: fc.constantFrom(...verdictKinds),
      place: fc.nat({ max: tightening.length }),
      withoutPreview: leastVerdict,
    })
    .map(({ verdict, place, withoutPreview }) => {
      const when = (runs(verdict) ? loosening : tightening)[place];
      return compileRule(
        checkedRuleSchema.parse({
          tools: "refund",
          verdict,
          withoutPreview,
          ...(when && { when }),
        }),
        { layer: "code", place: "rule" },
      );
    });
  const effectLists = fc.array(
    fc.record({ target: fc.string(), count: fc.integer({ min: 0, max: 20 }) }, { requiredKeys: ["target"] }),
    { maxLength: 3 },
  );

  it("never runs at once if the same call with some effects would not", () => {
    fc.assert(
      fc.property(
        fc.array(ruleOnEffects, { maxLength: 5 }),
        effectLists,
        fc.constantFrom(true, "30m", false, null),
        (rules, effects, reversible) => {
          const policy = policyFrom([{ ...sourceOf([], []), rules }]);
          const call = { toolName: "refund", input: {} };
          const known = kindOf(policy, { ...call, effects, reversible });
          for (const unknown of [call, { ...call, reversible }]) {
            if (runs(kindOf(policy, unknown))) expect(runs(known)).toBe(true);
          }
        },
      ),
      { numRuns: 600 },
    );
  });
});

describe("thread rules", () => {
  it("only tighten the verdict and the terms, even if the rules were never validated", () => {
    fc.assert(
      fc.property(
        anyRules,
        anyDefaults,
        fc.array(anyRule, { maxLength: 3 }),
        anyCall,
        (rules, defaults, own, call) => {
          const policy = policyOf(rules, defaults);
          const thread = { id: "t", rules: own.map(({ compiled }) => compiled) };
          const before = policy.evaluate(call);
          const after = policy.evaluate({ ...call, thread });
          expect(strictness(after.kind)).toBeGreaterThanOrEqual(strictness(before.kind));
          const expected = own.flatMap((rule) => rule.says(call) ?? []);
          if (expected.length === 0) expect(after).toEqual(before);
          if (expected.includes("fault") || expected.includes("deny")) expect(after.kind).toBe("deny");
          if (expected.includes("manual")) expect(["manual", "deny"]).toContain(after.kind);
          if (after.kind === before.kind && after.kind === "ask") {
            expect(before.terms.decisions).toEqual(
              expect.arrayContaining(after.terms.decisions.filter((type) => type !== "deny")),
            );
            expect(after.terms.idempotent && !before.terms.idempotent).toBe(false);
            expect(after.terms.timeoutMs).toBe(before.terms.timeoutMs);
            expect(after.terms.redact).toEqual(before.terms.redact);
            expect(after.terms.redactPatterns).toEqual(before.terms.redactPatterns);
            expect(risks.indexOf(after.terms.risk)).toBeGreaterThanOrEqual(risks.indexOf(before.terms.risk));
            expect(after.terms).toMatchObject({
              summary: before.terms.summary,
              codePreview: before.terms.codePreview,
            });
          }
          if (isAsked(before.kind) && isAsked(after.kind)) expectNoFurtherDeciders(before.terms, after.terms);
        },
      ),
      many,
    );
  });

  it("are refused if they would loosen", () => {
    const loose = fc.oneof(
      fc.record({ verdict: fc.constantFrom("allow", "notify") }),
      fc.record({ verdict: fc.constant("ask"), idempotent: fc.boolean() }),
      fc.record({ verdict: fc.constant("ask"), decisions: fc.constant(["approve", "edit"]) }),
      fc.record({ verdict: fc.constant("ask"), editable: fc.constant(["*"]) }),
      fc.record({ verdict: fc.constant("ask"), denials: fc.integer({ min: 2, max: 20 }) }),
      fc.record({ verdict: fc.constant("ask"), extensions: fc.integer({ min: 4, max: 20 }) }),
      fc.record({ verdict: fc.constant("ask"), delegable: fc.constant(true) }),
      fc.record({ verdict: fc.constant("ask"), risk: fc.constant("low") }),
      fc.record({ verdict: fc.constant("ask"), redact: fc.constant(["*"]) }),
      fc.record({ verdict: fc.constant("ask"), redactPatterns: fc.constant(["email"]) }),
      fc.record({ verdict: fc.constant("ask"), summary: fc.constantFrom("Look up the weather", "{{note}}") }),
      fc.record({
        verdict: fc.constant("ask"),
        escalation: fc.constant([{ after: "1s", escalateTo: ["everybody"] }]),
      }),
      fc.record({ verdict: fc.constant("ask"), codePreview: fc.constant({ field: "a", object: "decoy" }) }),
    );
    fc.assert(
      fc.property(loose, (rule) => {
        expect(() => threadRules([{ tools: "*", ...rule }])).toThrow(/thread\.rules\.0\..*only tighten/);
      }),
    );
  });
});

describe("a profile", () => {
  it("only tightens the verdict of the rules outside it", () => {
    fc.assert(
      fc.property(anyRules, anyCall, fc.constantFrom(...profileNames), (rules, call, profile) => {
        const open = { ...call, profile: undefined };
        fc.pre(activeRules(rules, undefined).some((rule) => rule.says(open) !== undefined));
        const policy = policyOf(rules);
        const without = kindOf(policy, open);
        expect(strictness(kindOf(policy, { ...call, profile }))).toBeGreaterThanOrEqual(strictness(without));
      }),
      many,
    );
  });

  it("only tightens the verdict of the profile that it extends", () => {
    fc.assert(
      fc.property(anyRules, anyCall, (rules, call) => {
        fc.pre(
          activeRules(rules, "calm").some((rule) => rule.says({ ...call, profile: "calm" }) !== undefined),
        );
        const policy = policyOf(rules);
        const calm = kindOf(policy, { ...call, profile: "calm" });
        expect(strictness(kindOf(policy, { ...call, profile: "strict" }))).toBeGreaterThanOrEqual(
          strictness(calm),
        );
      }),
      many,
    );
  });

  it("denies every call if it does not exist", () => {
    fc.assert(
      fc.property(anyRules, anyDefaults, anyCall, fc.string(), (rules, defaults, call, profile) => {
        fc.pre(profile !== "calm" && profile !== "strict");
        expect(kindOf(policyOf(rules, defaults), { ...call, profile })).toBe("deny");
      }),
    );
  });
});
