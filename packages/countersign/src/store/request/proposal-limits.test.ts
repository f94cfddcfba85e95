import { describe, expect, it } from "vitest";
import { sealer } from "../../testing/some-decision-seen.js";
import {
  grantable,
  proposing,
  type SomeProposal,
  type SomeProposalSeen,
  type SomeProposedCall,
  someCovering,
  someLimits,
} from "../../testing/some-proposal-seen.js";
import type { ProposalLimits } from "../ports/request-port.js";
import type { Waiting } from "../proposal-asked.js";

/** Calls that differ, of which people are to be asked. */
const calls = (count: number, parts: SomeProposedCall = {}): SomeProposedCall[] =>
  Array.from({ length: count }, (_, index) => ({ inputJson: `{"amount":${index}}`, ...parts }));

/** What becomes of each call: its status and why it was withdrawn. */
async function ends(parts: SomeProposal, seen: SomeProposalSeen = {}, seals?: typeof sealer) {
  const proposed = await proposing(parts, seen, seals);
  const became = proposed.calls.map(({ status, withdrawal_cause: cause, duplicate_of: of }) =>
    [status, cause, of].filter((part) => typeof part === "string").join(" "),
  );
  return { became, ...proposed };
}

const becomes = async (...args: Parameters<typeof ends>) => (await ends(...args)).became;

describe("the waiting calls of", () => {
  const limited: [keyof Waiting, keyof ProposalLimits][] = [
    ["run", "pendingPerRun"],
    ["thread", "pendingPerThread"],
    ["requester", "pendingPerRequester"],
    ["tenant", "pendingPerTenant"],
  ];

  it.each(limited)("the %s may be as many as %s, and not more", async (place, limit) => {
    const parts = { calls: calls(4), limits: someLimits({ [limit]: 5 }) };
    const { became, changes } = await ends(parts, { waiting: { [place]: 2 } });
    expect(became).toEqual(["proposed", "proposed", "proposed", "withdrawn too_many_pending"]);
    const others = { tenant: 96, run: 96, thread: 96, requester: 96 };
    expect(changes?.proposal?.room).toEqual({ ...others, [place]: 2 });
  });

  it.each(limited)("the %s leave no room when they are as many as %s", async (place, limit) => {
    const parts = { calls: calls(1), limits: someLimits({ [limit]: 5 }) };
    for (const waiting of [5, 6]) {
      const { became, changes } = await ends(parts, { waiting: { [place]: waiting } });
      expect(became).toEqual(["withdrawn too_many_pending"]);
      // Nothing waits that was not waiting before.
      expect(changes?.proposal?.room).toBeUndefined();
    }
  });

  it("may be any number without limits", async () => {
    const { became, changes } = await ends({ calls: calls(2) }, { waiting: { tenant: 1e6, run: 1e6 } });
    expect(became).toEqual(["proposed", "proposed"]);
    expect(changes?.proposal?.room).toBeUndefined();
  });

  it("leave room for what nobody is asked about", async () => {
    const none = { waiting: { tenant: 99 } };
    const of = (verdict: "notify" | "deny") => ({ calls: calls(1, { verdict }), limits: someLimits() });
    expect(await becomes(of("notify"), none)).toEqual(["approved"]);
    expect(await becomes(of("deny"), none)).toEqual(["denied"]);
    const granted = { calls: calls(1, { terms: grantable }), limits: someLimits() };
    expect(await becomes(granted, { ...none, grants: [someCovering()] })).toEqual(["approved"]);
  });
});

describe("a call that waits already", () => {
  it.each(["ask", "manual"] as const)("is not proposed again, if the verdict is %s", async (verdict) => {
    const { became, changes } = await ends(
      { calls: calls(2, { verdict }) },
      { facts: { twins: [null, "apr_9"] } },
    );
    expect(became).toEqual(["proposed", "withdrawn duplicate_call apr_9"]);
    expect(changes?.audited[1]).toMatchObject({
      ...{ type: "approval.withdrawn", approvalId: "apr_2", actorId: "eve" },
      data: { cause: "duplicate_call", duplicateOf: "apr_9" },
    });
  });

  it("is not proposed twice in one response, and does not take room for two", async () => {
    const parts = { calls: [{}, {}, { inputJson: "{}" }], limits: someLimits({ pendingPerRun: 2 }) };
    expect(await becomes(parts)).toEqual(["proposed", "withdrawn duplicate_call apr_1", "proposed"]);
  });

  it("is another call if its arguments, its tool or its policy differ", async () => {
    const others = [{ inputJson: "{}" }, { toolName: "erase" }, { policyVersion: "p2" }];
    expect(await becomes({ calls: [{}, ...others] })).toEqual(
      others.map(() => "proposed").concat("proposed"),
    );
  });

  it("is no reason against one that the policy lets through, or a grant before it", async () => {
    const notified = calls(2, { verdict: "notify", inputJson: "{}" });
    expect(await becomes({ calls: notified })).toEqual(["approved", "approved"]);
    const granted = calls(3, { terms: grantable, inputJson: "{}" });
    const grants = [someCovering({ usesLeft: 2 })];
    expect(await becomes({ calls: granted }, { grants })).toEqual(["approved", "approved", "proposed"]);
  });
});

describe("the first reason that applies is told:", () => {
  const limits = someLimits();
  const refusing = {
    facts: { end: "run_failed", twins: ["apr_9"], isDiscouraged: true },
    waiting: { tenant: 99 },
    grants: [someCovering()],
  } satisfies SomeProposalSeen;
  const { end, twins, ...facts } = refusing.facts;
  const one = { calls: calls(1, { terms: grantable }), limits };

  it.each<[string, string, SomeProposalSeen]>([
    ["the run has ended", "withdrawn run_failed", refusing],
    ["a twin waits", "withdrawn duplicate_call apr_9", { ...refusing, facts: { ...facts, twins } }],
    ["a grant approves it", "approved", { ...refusing, facts }],
    ["people have denied the last calls", "withdrawn too_many_denials", { ...refusing, facts, grants: [] }],
    ["too many wait", "withdrawn too_many_pending", { waiting: { tenant: 99 } }],
    ["none", "proposed", {}],
  ])("%s", async (_, became, seen) => {
    expect(await becomes(one, seen)).toEqual([became]);
  });

  it("a call that nobody is asked about has only the first one", async () => {
    const verdicts = [{ verdict: "deny" }, { verdict: "notify" }] as const;
    expect(await becomes({ calls: verdicts, limits }, { ...refusing, facts })).toEqual([
      "denied",
      "approved",
    ]);
    expect(await becomes({ calls: verdicts, limits }, refusing)).toEqual(["denied", "withdrawn run_failed"]);
  });
});

describe("a run that has ended", () => {
  it("uses no grant, and its request is settled", async () => {
    const seen = { facts: { end: "run_cancelled" as const }, grants: [someCovering()] };
    const { became, changes, calls: rows } = await ends({ calls: calls(2, { terms: grantable }) }, seen);
    expect(became).toEqual(["withdrawn run_cancelled", "withdrawn run_cancelled"]);
    expect(changes?.grants).toBeUndefined();
    expect(changes?.proposal?.request.now).toEqual(["created_at", "settled_at"]);
    expect(rows[0]).toMatchObject({ grant_id: null, decision_type: null });
    expect(changes?.audited).toMatchObject([
      { type: "approval.withdrawn", data: { cause: "run_cancelled" } },
      { type: "approval.withdrawn", data: { cause: "run_cancelled" } },
    ]);
  });

  it("counts as alive if it only counted as lost", async () => {
    const { became, changes, result } = await ends({}, { facts: { end: "run_lost" } });
    expect(became).toEqual(["proposed"]);
    expect(changes?.proposal?.request.now).toEqual(["created_at"]);
    expect(result.end).toBe("run_lost");
  });
});

it("a call over its grant's budget that is asked tells people so, and a refused one does not", async () => {
  const budget = { amount: "amount", total: 1, each: null, unit: null };
  const one = { calls: calls(1, { terms: grantable, inputJson: '{"amount":2}' }), limits: someLimits() };
  const seen = { grants: [someCovering({ budget })] };
  const { calls: asked } = await ends(one, seen);
  expect(asked).toMatchObject([{ status: "proposed", over_budget: { grantId: "grt_1", amount: 2 } }]);
  const { calls: refused } = await ends(one, { ...seen, facts: { isDiscouraged: true } });
  expect(refused).toMatchObject([{ status: "withdrawn", over_budget: null }]);
});

it("is the same with a signer", async () => {
  const parts = { calls: calls(3), limits: someLimits({ pendingPerRun: 2 }) };
  expect(await becomes(parts, {}, sealer)).toEqual(await becomes(parts));
});
