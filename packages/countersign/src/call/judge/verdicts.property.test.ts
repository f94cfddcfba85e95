// Compares policies with a second evaluator, on random conditions and on arguments of right and wrong types. The second
// evaluator is in doubt about every argument whose type is not the one that the condition's author meant.

import { compilePolicy } from "@countersign/policy/internal/policy/compile-policy";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { compileRule } from "@countersign/policy/internal/policy/rules/compile-rule";
import { type VerdictKind, verdictKinds } from "@countersign/policy/internal/policy/rules/rule";
import { checkedRuleSchema } from "@countersign/policy/internal/policy/rules/rule-schema";
import { createTool, type Tool } from "@inngest/agent-kit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { limitsOf } from "../../decision/limits.js";
import type { InngestRun } from "../run/inngest-run.js";
import type { Runtime } from "../run/runtime.js";
import { callOutcomes } from "./call-outcomes.js";

type Input = Record<string, unknown>;
const doubt = Symbol("doubt");
/**
 * A part of a condition: its text, and its value for given arguments. Each part compares an argument with a literal,
 * which tells the type that is meant. A comparison of two arguments would not tell it.
 */
interface Part<T> {
  text: string;
  of(input: Input, item: unknown): T | typeof doubt;
}
type Truth = boolean | typeof doubt;

/** The value of an argument, or doubt if it is missing. */
const read = (input: Input, name: string): unknown => (Object.hasOwn(input, name) ? input[name] : doubt);
const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";

/** Compares values of one type, and null with everything. All other comparisons are in doubt. */
function equal(left: unknown, right: unknown, ofKind: (value: unknown) => boolean): Truth {
  if (left === doubt || right === doubt) return doubt;
  if (left === null || right === null) return left === right;
  return ofKind(left) && ofKind(right) ? left === right : doubt;
}

/** Doubt if any of the values is in doubt; otherwise the result of `make`. */
function combine(truths: readonly Truth[], make: (held: readonly boolean[]) => boolean): Truth {
  return truths.some((truth) => truth === doubt) ? doubt : make(truths as boolean[]);
}

function both(left: Truth, right: () => Truth, deciding: boolean): Truth {
  if (left === deciding) return deciding;
  const other = right();
  if (other === deciding) return deciding;
  return left === doubt || other === doubt ? doubt : !deciding;
}

const words = ["prod", "live", "admin", "a@ours", "b@else", ""] as const;
const quoted = (text: string) => JSON.stringify(text);
const textLiteral = fc
  .constantFrom(...words)
  .map((word): Part<unknown> => ({ text: quoted(word), of: () => word }));
const textField = fc
  .constantFrom("env", "currency")
  .map((name): Part<unknown> => ({ text: `input.${name}`, of: (input) => read(input, name) }));
const numberLiteral = fc
  .constantFrom(0, 1, 2, 5, 100)
  .map((value): Part<unknown> => ({ text: String(value), of: () => value }));
const numberField = fc.constant<Part<unknown>>({
  text: "input.amount",
  of: (input) => read(input, "amount"),
});
const listName = fc.constantFrom("roles", "to");
const textItem = fc.constant<Part<unknown>>({ text: "item", of: (_, item) => item });
const textLists = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 });
const patterns = ["^prod$", "@ours$", "(?i)ADMIN", "o"] as const;
const inJavaScript: Record<string, RegExp> = { "(?i)ADMIN": /ADMIN/i };

/** Conditions about one text. */
const aboutText = (subject: fc.Arbitrary<Part<unknown>>): fc.Arbitrary<Part<boolean>> =>
  fc.oneof(
    fc.tuple(subject, textLiteral, fc.boolean()).map(
      ([left, right, same]): Part<boolean> => ({
        text: `${left.text} ${same ? "==" : "!="} ${right.text}`,
        of: (input, item) =>
          combine([equal(left.of(input, item), right.of(input, item), isText)], ([held]) => held === same),
      }),
    ),
    fc.tuple(subject, textLists).map(
      ([left, list]): Part<boolean> => ({
        text: `${left.text} in [${list.map(quoted)}]`,
        of: (input, item) =>
          combine(
            list.map((word) => equal(left.of(input, item), word, isText)),
            (held) => held.includes(true),
          ),
      }),
    ),
    fc.tuple(subject, fc.constantFrom(...patterns)).map(
      ([left, pattern]): Part<boolean> => ({
        text: `${left.text}.matches(${quoted(pattern)})`,
        of: (input, item) => {
          const value = left.of(input, item);
          return isText(value) ? (inJavaScript[pattern] ?? new RegExp(pattern)).test(value) : doubt;
        },
      }),
    ),
    fc.tuple(subject, textLiteral).map(
      ([left, end]): Part<boolean> => ({
        text: `${left.text}.endsWith(${end.text})`,
        of: (input, item) => {
          const value = left.of(input, item);
          return isText(value) ? value.endsWith(String(end.of(input, item))) : doubt;
        },
      }),
    ),
  );

const comparisons: Record<string, (left: number, right: number) => boolean> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};
const sizeOf = (name: string): Part<unknown> => ({
  text: `size(input.${name})`,
  of: (input) => {
    const list = read(input, name);
    return Array.isArray(list) ? list.length : doubt;
  },
});
const aboutNumbers = fc
  .tuple(
    fc.oneof(numberField, listName.map(sizeOf)),
    fc.constantFrom(...Object.keys(comparisons), "==", "!="),
    numberLiteral,
  )
  .map(
    ([left, operator, right]): Part<boolean> => ({
      text: `${left.text} ${operator} ${right.text}`,
      of(input, item) {
        const [one, other] = [left.of(input, item), right.of(input, item)];
        const compare = comparisons[operator];
        if (compare) return isNumber(one) && isNumber(other) ? compare(one, other) : doubt;
        return combine([equal(one, other, isNumber)], ([held]) => held === (operator === "=="));
      },
    }),
  );

const quantifiers: Record<string, (held: readonly boolean[]) => boolean> = {
  all: (held) => held.every(Boolean),
  exists: (held) => held.some(Boolean),
  exists_one: (held) => held.filter(Boolean).length === 1,
};
const aboutLists: fc.Arbitrary<Part<boolean>> = fc.oneof(
  fc
    .tuple(
      listName,
      fc.constantFrom(...Object.keys(quantifiers)),
      aboutText(fc.oneof(textItem, textItem, textField)),
    )
    .map(
      ([name, quantifier, predicate]): Part<boolean> => ({
        text: `input.${name}.${quantifier}(item, ${predicate.text})`,
        of: (input) => {
          const list = read(input, name);
          if (!Array.isArray(list)) return doubt;
          return combine(
            list.map((item) => predicate.of(input, item)),
            quantifiers[quantifier] ?? (() => false),
          );
        },
      }),
    ),
  fc.tuple(textLiteral, listName).map(
    ([searched, name]): Part<boolean> => ({
      text: `${searched.text} in input.${name}`,
      of: (input) => {
        const list = read(input, name);
        const value = searched.of(input, undefined);
        if (!Array.isArray(list) || value === doubt) return doubt;
        return combine(
          list.map((item) => equal(value, item, isText)),
          (held) => held.includes(true),
        );
      },
    }),
  ),
  fc.tuple(listName, textLists, fc.boolean()).map(
    ([name, wanted, same]): Part<boolean> => ({
      text: `input.${name} ${same ? "==" : "!="} [${wanted.map(quoted)}]`,
      of: (input) => {
        const list = read(input, name);
        if (list === null) return !same;
        if (!Array.isArray(list)) return doubt;
        const pairs = wanted.slice(0, list.length).map((word, index) => equal(list[index], word, isText));
        return combine(pairs, (held) => (list.length === wanted.length && held.every(Boolean)) === same);
      },
    }),
  ),
  fc.tuple(listName, aboutText(textItem)).map(
    ([name, predicate]): Part<boolean> => ({
      text: `input.${name}.filter(item, ${predicate.text}).size() > 0`,
      of: (input) => {
        const list = read(input, name);
        if (!Array.isArray(list)) return doubt;
        return combine(
          list.map((item) => predicate.of(input, item)),
          (held) => held.includes(true),
        );
      },
    }),
  ),
);
const aboutObjects = fc.constantFrom<Part<boolean>>(
  {
    text: "has(input.order.id)",
    of: (input) => {
      const order = read(input, "order");
      const isObject = typeof order === "object" && order !== null && !Array.isArray(order);
      return isObject ? Object.hasOwn(order, "id") : doubt;
    },
  },
  { text: "has(input.env)", of: (input) => Object.hasOwn(input, "env") },
  {
    text: "input.flag",
    of: (input) => {
      const flag = read(input, "flag");
      return typeof flag === "boolean" ? flag : doubt;
    },
  },
);

const condition: fc.Arbitrary<Part<boolean>> = fc.letrec<{ any: Part<boolean> }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.oneof(aboutText(textField), aboutLists, aboutLists, aboutNumbers, aboutObjects),
    tie("any").map(
      (part): Part<boolean> => ({
        text: `!(${part.text})`,
        of: (input, item) => combine([part.of(input, item)], ([held]) => !held),
      }),
    ),
    fc.tuple(tie("any"), tie("any"), fc.boolean()).map(
      ([left, right, or]): Part<boolean> => ({
        text: `(${left.text} ${or ? "||" : "&&"} ${right.text})`,
        of: (input, item) => both(left.of(input, item), () => right.of(input, item), or),
      }),
    ),
    fc.tuple(tie("any"), tie("any"), tie("any")).map(
      ([test, yes, no]): Part<boolean> => ({
        text: `(${test.text} ? ${yes.text} : ${no.text})`,
        of: (input, item) => {
          const held = test.of(input, item);
          return held === doubt ? doubt : (held ? yes : no).of(input, item);
        },
      }),
    ),
  ),
})).any;

/** For each argument, values of the type that is meant, and of other types. */
const values: Record<string, { right: fc.Arbitrary<unknown>; wrong: readonly unknown[] }> = {
  env: { right: fc.constantFrom(...words), wrong: [["prod"], { prod: true }, 1, true, null] },
  currency: { right: fc.constantFrom(...words), wrong: [["live"], 5, null] },
  amount: { right: fc.constantFrom(0, 1, 2.5, 5, 101), wrong: ["5", [101], true, null, {}] },
  flag: { right: fc.boolean(), wrong: ["true", 1, null, [true]] },
  roles: {
    right: fc.array(fc.constantFrom(...words), { maxLength: 3 }),
    wrong: [[["admin"]], ["admin", 5], { admin: true }, "admin", [null], ["prod", { admin: 1 }], 7, null],
  },
  to: {
    right: fc.array(fc.constantFrom(...words), { maxLength: 3 }),
    wrong: [{ "a@ours": "b@else" }, [["prod"]], ["a@ours", ["b@else"]], "ab", [{}], null, true],
  },
  order: {
    right: fc.record({ id: fc.constant("A-1") }, { requiredKeys: [] }),
    wrong: ["A-1", ["A-1"], 1, null],
  },
};
const missing = Symbol("missing");
const input: fc.Arbitrary<{ value: Input; fits: boolean }> = fc
  .record(
    Object.fromEntries(
      Object.entries(values).map(([name, { right, wrong }]) => [
        name,
        fc.oneof(
          { weight: 8, arbitrary: right.map((value) => ({ value, fits: true })) },
          { weight: 2, arbitrary: fc.constantFrom(...wrong).map((value) => ({ value, fits: false })) },
          { weight: 1, arbitrary: fc.constant({ value: missing as unknown, fits: false }) },
        ),
      ]),
    ),
  )
  .map((fields) => ({
    value: Object.fromEntries(
      Object.entries(fields).flatMap(([name, { value }]) => (value === missing ? [] : [[name, value]])),
    ),
    fits: Object.values(fields).every(({ fits }) => fits),
  }));

interface KnownRule {
  verdict: VerdictKind;
  when: Part<boolean> | undefined;
}
const rules = fc.array(
  fc.record({
    verdict: fc.constantFrom(...verdictKinds),
    when: fc.option(condition, { nil: undefined, freq: 9 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const fallback = fc.constantFrom<VerdictKind>("allow", "ask", "deny");

function policyOf(known: readonly KnownRule[], kind: VerdictKind): Policy {
  const compiled = known.map(({ verdict, when }, index) =>
    compileRule(checkedRuleSchema.parse({ tools: "*", verdict, ...(when ? { when: when.text } : {}) }), {
      layer: "code",
      place: `rules.${index}`,
    }),
  );
  const defaults = [{ layer: "code" as const, verdict: { kind } }];
  return compilePolicy([{ rules: compiled, defaults, profiles: {}, trustedServers: [], material: null }]);
}

/** The second evaluator's verdict. In doubt, ask, manual and deny rules apply; allow and notify rules do not. */
function expected(known: readonly KnownRule[], kind: VerdictKind, arguments_: Input): VerdictKind {
  const verdicts = known.flatMap(({ verdict, when }) => {
    const held = when ? when.of(arguments_, undefined) : true;
    return (held === doubt ? verdict !== "allow" && verdict !== "notify" : held) ? [verdict] : [];
  });
  return (verdicts.length > 0 ? verdicts : [kind]).reduce((top, one) =>
    strictness(one) > strictness(top) ? one : top,
  );
}
const strictness = (kind: VerdictKind) => verdictKinds.indexOf(kind);

const inputs = fc.array(input, { minLength: 20, maxLength: 20 });

describe("a policy of random conditions", () => {
  it("is never looser than the second evaluator, and equals it for arguments of the right types", () => {
    let cases = 0;
    let doubted = 0;
    fc.assert(
      fc.property(rules, fallback, inputs, (known, kind, tried) => {
        const policy = policyOf(known, kind);
        for (const { value, fits } of tried) {
          const wanted = expected(known, kind, value);
          const given = policy.evaluate({ toolName: "t", input: value }).kind;
          cases += 1;
          if (known.some(({ when }) => when?.of(value, undefined) === doubt)) doubted += 1;
          expect(strictness(given)).toBeGreaterThanOrEqual(strictness(wanted));
          if (fits) expect(given).toBe(wanted);
        }
      }),
      { numRuns: 400 },
    );
    expect(cases).toBeGreaterThanOrEqual(8_000);
    expect(doubted).toBeGreaterThan(cases / 10);
  });

  it("runs a call at once only if it fits the tool's schema and the second evaluator allows it", async () => {
    const handler = () => "ran";
    const list = z.array(z.string());
    const parameters = z.object({
      env: z.string(),
      currency: z.string(),
      amount: z.number(),
      flag: z.boolean(),
      roles: list,
      to: list,
      order: z.object({ id: z.string().optional() }),
    });
    const tools = new Map<string, Tool.Any>([
      ["checked", createTool({ name: "checked", parameters, handler })],
      ["unchecked", { name: "unchecked", handler }],
    ]);
    let allowed = 0;
    await fc.assert(
      fc.asyncProperty(rules, fallback, inputs, async (known, kind, tried) => {
        const policy = policyOf(known, kind);
        for (const [index, { value, fits }] of tried.entries()) {
          const name = index % 2 === 0 ? "checked" : "unchecked";
          const runs = await runsAtOnce(policy, tools, name, value);
          const wanted = expected(known, kind, value) === "allow" && (fits || name === "unchecked");
          if (runs) allowed += 1;
          if (!wanted || fits) expect(runs).toBe(wanted);
        }
      }),
      { numRuns: 100 },
    );
    expect(allowed).toBeGreaterThan(20);
  });
});

const mustBeProposed = new Error("This call must be proposed");

/** Whether the hook lets a call run at once, without proposing an approval. */
async function runsAtOnce(
  policy: Policy,
  tools: ReadonlyMap<string, Tool.Any>,
  name: string,
  arguments_: Input,
) {
  const run = {
    runId: "run",
    execution: {},
    countSteps: () => 0,
    knowsStep: () => true,
    step: { run: async (_id: string, work: () => unknown) => work() },
  } as unknown as InngestRun;
  const subject = { tenantId: "t", threadId: null, requester: null, threadRules: [], threadRulesGiven: [] };
  const tool = { type: "tool" as const, id: "1", name, input: arguments_ };
  const response = {
    key: "k",
    agentName: "a",
    subject,
    profile: undefined,
    tools,
    modelText: "",
    earlier: [],
    calls: [{ tool, position: 0 }],
  };
  try {
    const store = {
      nameSecret: async () => "secret",
      approvalsOf: async () => [],
      recordAllowed: async () => [],
      engagedStops: async () => [],
      recordNote: async () => {},
      propose: async () => Promise.reject(mustBeProposed),
    };
    const options = {
      timeoutMs: 1000,
      notifyTargets: () => [],
      redactPatterns: [],
      stepUsers: new Set(),
      undos: new Map(),
    };
    const given = { id: "countersign", policy, limits: limitsOf({}), durableTools: [], store, ...options };
    const runtime = { ...given, sendNotified: async () => {} } as unknown as Runtime;
    const { outcomes } = await callOutcomes(runtime, run, response);
    return outcomes[0]?.kind === "allowed";
  } catch (error) {
    if (error === mustBeProposed) return false;
    throw error;
  }
}
