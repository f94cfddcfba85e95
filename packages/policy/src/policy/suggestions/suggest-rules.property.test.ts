// Suggestions for generated policies and histories. Their tool, arguments and conditions come from small sets, so that
// habits, exceptions to them, and calls that several rules cover occur often.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { PolicyCall } from "../policy-call.js";
import type { ResolvedTerms } from "../rules/term-table.js";
import { firstCovered } from "./covered-calls.js";
import { type DecidedCall, type DecidedOutcome, decidedOutcomes } from "./decided-call.js";
import { policyOf } from "./replay-suggestion.js";
import { suggestRules } from "./suggest-rules.js";
import type { PolicySuggestions, RuleSuggestion } from "./suggestion.js";

const learnUntil = new Date("2026-06-01");
const before = new Date("2026-05-01");
const later = new Date("2026-06-10");

const amount = fc.oneof(fc.constantFrom(1, 2, 3, 50), fc.integer({ min: -5, max: 100 }));
const usualInput = fc.record({ amount, to: fc.constantFrom("ann", "bob") });
/** Arguments that no usual call has: other kinds of values, missing and unknown ones, and none. */
const oddInput = fc.oneof(
  fc.record({ amount: fc.constantFrom("1", null, [1]), to: fc.constantFrom("ann", ["ann"], 1) }),
  fc.record({ amount, to: fc.constantFrom("ann", "eve"), urgent: fc.boolean() }, { requiredKeys: [] }),
  fc.constantFrom(null, [], "ann", {}),
);
const mostly = <T>(usual: T, unusual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: unusual });
const callWith = (input: fc.Arbitrary<unknown>, previewed: boolean): fc.Arbitrary<PolicyCall> =>
  fc.record({
    toolName: mostly("pay", fc.constant("send")),
    input,
    principal: fc.constantFrom(null, { id: "r1", roles: [] }, { id: "r2", roles: ["lead"] }),
    profile: mostly<string | undefined>(undefined, fc.constant("night")),
    effects: previewed
      ? mostly<PolicyCall["effects"]>([{ target: "a" }], fc.constant([{ target: "a" }, { target: "b" }]))
      : fc.constant(null),
    reversible: mostly<boolean | string>("30m", fc.boolean()),
  });
const anyCall = fc.boolean().chain((previewed) => callWith(fc.oneof(usualInput, oddInput), previewed));

const conditions = [
  "input.amount > 40",
  'input.to == "bob"',
  '"lead" in principal.roles',
  "size(effects) < 2",
];
const when = fc.constantFrom(...conditions);
const harmless = fc.constantFrom<object>(
  {},
  { approvers: { roles: ["a"] } },
  { risk: "high" },
  { redact: ["x"] },
);
const binding = fc.constantFrom<object>(
  ...[{ quorum: 2 }, { risk: "critical" }, { requesterMayNotApprove: true }, { redact: ["to"] }],
  ...[{ withoutPreview: "deny" }, { approvers: { roles: ["b"] } }],
);
const asking = fc
  .tuple(fc.constantFrom("pay", "*", ["pay", "send"]), fc.option(when), harmless)
  .map(([tools, condition, terms]) => ({
    tools,
    verdict: "ask",
    ...(condition && { when: condition }),
    ...terms,
  }));
const otherRule = fc
  .tuple(
    fc.constantFrom("pay", "p*", "send"),
    fc.constantFrom("ask", "ask", "ask", "allow", "notify", "manual", "deny"),
    when,
    fc.oneof(harmless, binding),
  )
  .map(
    ([tools, verdict, condition, { quorum, ...terms }]: [string, string, string, { quorum?: number }]) => ({
      tools,
      verdict,
      when: condition,
      ...terms,
      ...(quorum && verdict !== "manual" && { quorum }),
    }),
  );
const policyFile = fc.record({
  version: fc.constant(1),
  default: fc.constantFrom("ask", "allow", "deny"),
  rules: fc
    .tuple(fc.array(asking, { maxLength: 2 }), fc.array(otherRule, { maxLength: 2 }))
    .map(([one, other]) => [...one, ...other]),
  profiles: fc.record({ night: fc.record({ rules: fc.array(otherRule, { maxLength: 1 }) }) }),
});

/** People approve amounts up to 40, and sometimes decide otherwise. */
const history = fc.boolean().chain((previewed) =>
  fc.array(
    fc
      .tuple(
        callWith(
          fc.oneof({ weight: 20, arbitrary: usualInput }, { weight: 1, arbitrary: oddInput }),
          previewed,
        ),
        mostly<DecidedOutcome | undefined>(undefined, mostly(undefined, fc.constantFrom(...decidedOutcomes))),
      )
      .map(([call, exception]): Omit<DecidedCall, "id" | "decidedAt"> => {
        const { amount: paid } = Object(call.input) as { amount?: number };
        return {
          call,
          outcome: exception ?? (Number(paid) > 40 ? "denied" : "approved"),
          verdict: "ask",
          terms: { risk: "medium", quorum: 1, requesterMayNotApprove: false, redact: [], redactPatterns: [] },
          hasPreview: previewed,
        };
      }),
    { minLength: 15, maxLength: 40 },
  ),
);

const withTime = (calls: readonly Omit<DecidedCall, "id" | "decidedAt">[], decidedAt: Date, prefix: string) =>
  calls.map((call, index): DecidedCall => ({ ...call, decidedAt, id: `${prefix}${index}` }));

function suggest(policy: object, calls: readonly DecidedCall[]): Promise<PolicySuggestions> {
  const files = [{ file: "policy.json", layer: "defaults" as const, text: JSON.stringify(policy) }];
  return suggestRules({ files, calls, learnUntil, minApprovals: 4, minDenials: 3 });
}

async function coversCall({ when, toolName }: RuleSuggestion, call: PolicyCall): Promise<boolean> {
  if (call.toolName !== toolName) return false;
  const decided = { call, terms: { redact: [], redactPatterns: [] } } as unknown as DecidedCall;
  return (await firstCovered(when, [decided], { inDoubt: false })) !== undefined;
}

/** Without texts, and the ids of rules without one, which depend on their position. */
const withoutTexts = ({ reason: _, reasons: __, summary: ___, ...others }: ResolvedTerms) => others;

function policyIn(text: string) {
  const joined = policyOf([{ file: "policy.json", layer: "defaults", text }]);
  if ("problem" in joined) throw new Error(joined.problem);
  return joined.policy;
}

const counts = { notify: 0, deny: 0 };
const runs = 120;

it("a suggestion covers the calls that it comes from, and no call that was decided otherwise", async () => {
  await fc.assert(
    fc.asyncProperty(policyFile, history, async (policy, past) => {
      const calls = withTime(past, before, "a");
      const { suggestions, files } = await suggest(policy, calls);
      for (const { verdict } of suggestions) counts[verdict] += 1;
      const edited = files[0] && policyIn(files[0].after);
      for (const suggestion of suggestions) {
        const { toolName, verdict, calls: ids } = suggestion;
        const from = calls.filter(({ id }) => ids.includes(id));
        expect(from.length).toBeGreaterThanOrEqual(verdict === "notify" ? 4 : 3);
        const outcome = verdict === "notify" ? "approved" : "denied";
        for (const { call } of from) expect(edited?.evaluate(call).kind).toBe(verdict);
        for (const other of calls) {
          if (other.call.toolName !== toolName || !(await coversCall(suggestion, other.call))) continue;
          const ranAlready = policyIn(JSON.stringify(policy)).evaluate(other.call).kind === "notify";
          if (!ranAlready) expect(other).toMatchObject({ outcome });
        }
      }
    }),
    { numRuns: runs },
  );
  expect(Math.min(counts.notify, counts.deny)).toBeGreaterThan(runs / 10);
});

it("a suggestion changes neither verdict nor terms of any call that it does not cover", async () => {
  await fc.assert(
    fc.asyncProperty(
      policyFile,
      history,
      fc.array(anyCall, { minLength: 30, maxLength: 60 }),
      async (policy, past, others) => {
        const { suggestions, files } = await suggest(policy, withTime(past, before, "a"));
        if (!files[0]) return;
        const [live, edited] = [policyIn(files[0].before), policyIn(files[0].after)];
        for (const call of [...others, ...past.map((one) => one.call)]) {
          const [was, is] = [live.evaluate(call), edited.evaluate(call)];
          const covering: RuleSuggestion[] = [];
          for (const suggestion of suggestions) {
            if (await coversCall(suggestion, call)) covering.push(suggestion);
          }
          if (was.kind === is.kind) {
            if (is.kind === "ask" || is.kind === "manual") {
              expect(withoutTexts(is.terms)).toEqual(withoutTexts(was.terms));
            }
            continue;
          }
          expect(covering.map(({ verdict }) => verdict)).toContain(is.kind);
          if (is.kind === "deny") continue;
          expect(was.kind === "ask" || was.kind === "allow").toBe(true);
          if (was.kind === "allow") continue;
          expect(was.terms).toMatchObject({ quorum: 1, requesterMayNotApprove: false });
          expect(was.terms.risk).not.toBe("critical");
          expect(is.terms.redact).toEqual(was.terms.redact);
        }
      },
    ),
    { numRuns: runs },
  );
});

it("calls of the held-out time change no suggestion", async () => {
  await fc.assert(
    fc.asyncProperty(policyFile, history, history, history, async (policy, past, one, other) => {
      const learned = withTime(past, before, "a");
      const found = await Promise.all(
        [one, other, []].map(async (heldOut) => {
          const { suggestions } = await suggest(policy, [...learned, ...withTime(heldOut, later, "b")]);
          return suggestions.map(({ toolName, verdict, when, calls }) => ({
            toolName,
            verdict,
            when,
            calls,
          }));
        }),
      );
      expect(found[1]).toEqual(found[0]);
      expect(found[2]).toEqual(found[0]);
    }),
    { numRuns: 40 },
  );
});
