import { createAgent } from "@inngest/agent-kit";
import type { VerdictKind } from "countersign";
import type { ApprovalView } from "countersign/hono";
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../durability/model/settings.js";
import { changingRules, type Source } from "../support/changing-rules.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";

/** What becomes of a call for which somebody is asked. */
type Fate = "approve" | "edit" | "deny" | "expire";

/** One run: it looks something up, refunds, and looks up more, while what judges `refund` changes. */
interface Case {
  source: Source;
  /** The verdict when the run begins. */
  before: VerdictKind;
  /** The verdict when the model proposes the refund. */
  proposed: VerdictKind;
  /** The verdict after that, and since when. */
  later: { verdict: VerdictKind; since: "waiting" | "claim" | "next turn" } | undefined;
  fate: Fate;
  /** Turns with allowed calls after the refund. */
  turns: number;
  /** Another agent looks things up at the same time, in the same run. */
  beside: boolean;
  optimizeParallelism: boolean;
  replay: Pick<HarnessOptions, "checkpointing" | "replaying"> | undefined;
}

const original = { id: "A-1", amount: 900 };
const edited = { id: "A-1", amount: 1 };
const lookup = { name: "lookup", input: { id: "A-1" } };

/** The starts of the handler that the rules at the proposal and the decision permit. */
function permitted({ proposed, fate, later, source }: Case) {
  const undisturbed = later === undefined || later.since === "next turn";
  const once = (input: object) => ({ inputs: [input], min: undisturbed ? 1 : 0, max: 1 });
  // AgentKit enters the handler of an allowed call again on each replay.
  if (proposed === "allow") return { inputs: [original], min: 1, max: Number.POSITIVE_INFINITY };
  if (proposed === "notify") return once(original);
  if (proposed === "ask" && fate === "approve") return once(original);
  if (proposed === "ask" && fate === "edit" && source !== "hints") return once(edited);
  return { inputs: [], min: 0, max: 0 };
}

/** How the app is replayed. */
const ways: Pick<HarnessOptions, "checkpointing" | "replaying">[] = [
  { checkpointing: true },
  { checkpointing: false },
  { replaying: "each-step" },
  { replaying: "each-planned-step" },
];
const [checkpointing, , , planning] = ways;

const sources: Source[] = ["policy", "policy of another process", "rule", "profile", "hints"];
const verdict = fc.constantFrom<VerdictKind>("allow", "notify", "ask", "manual", "deny");

const cases: fc.Arbitrary<Case> = fc
  .record({
    source: fc.constantFrom(...sources),
    before: verdict,
    proposed: verdict,
    later: fc.option(
      fc.record({
        verdict,
        since: fc.constantFrom("waiting" as const, "claim" as const, "next turn" as const),
      }),
      { nil: undefined },
    ),
    fate: fc.constantFrom<Fate>("approve", "edit", "deny", "expire"),
    turns: fc.nat(2),
    beside: fc.boolean(),
    optimizeParallelism: fc.boolean(),
    replay: fc.constantFrom(...ways),
  })
  .map((drawn) => (drawn.source === "hints" ? underHints(drawn) : drawn));

/** A server's hints only make the difference between `allow` and `ask`. */
function underHints(drawn: Case): Case {
  const hinted = (kind: VerdictKind): VerdictKind => (kind === "allow" ? "allow" : "ask");
  const later = drawn.later && { ...drawn.later, verdict: hinted(drawn.later.verdict) };
  const fate = drawn.fate === "edit" ? "approve" : drawn.fate;
  return { ...drawn, before: hinted(drawn.before), proposed: hinted(drawn.proposed), later, fate };
}

const plain = { turns: 1, beside: false, optimizeParallelism: true, later: undefined, replay: planning };

/** A tightened policy, and a server that takes back its hint, with every decision. */
const examples: [Case][] = (
  [
    { ...plain, source: "policy", before: "allow", proposed: "deny", fate: "approve" },
    { ...plain, source: "policy", before: "allow", proposed: "ask", fate: "edit", replay: checkpointing },
    { ...plain, source: "policy", before: "allow", proposed: "ask", fate: "deny" },
    { ...plain, source: "policy", before: "allow", proposed: "ask", fate: "edit" },
    { ...plain, source: "policy", before: "allow", proposed: "ask", fate: "approve", beside: true },
    {
      ...{ ...plain, source: "policy", before: "allow", proposed: "ask", fate: "edit" },
      later: { verdict: "manual", since: "waiting" },
    },
    {
      ...{ ...plain, source: "hints", before: "ask", proposed: "ask", fate: "deny" },
      later: { verdict: "allow", since: "waiting" },
    },
    {
      ...{ ...plain, source: "policy", before: "allow", proposed: "ask", fate: "deny" },
      ...{ turns: 2, beside: true, optimizeParallelism: false },
    },
  ] satisfies Case[]
).map((each) => [each]);

it("a call whose rules change during its run starts only as its proposal and its decision permit, and at most once", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (drawn) => {
      const { effects, statuses } = await play(drawn);
      const { inputs, min, max } = permitted(drawn);
      const started = effects.map(({ input }) => input);
      expect(started.length).toBeGreaterThanOrEqual(min);
      expect(started.length).toBeLessThanOrEqual(max);
      for (const input of started) expect(inputs).toContainEqual(input);
      const gated = drawn.proposed !== "allow";
      expect(statuses).toHaveLength(gated ? 1 : 0);
      if (gated) expect(statuses[0] === "executed").toBe(started.length === 1);
      expect(statuses).not.toContain("approved");
    }),
    { ...runs(18), examples },
  );
});

async function play(drawn: Case) {
  await using database = await freshPostgres();
  const desk = deskTools();
  const tools = desk.tools.filter(({ name }) => name === "lookup" || name === "refund");
  const rules = changingRules(drawn.source, drawn.before, tools);
  const changeAt = (since: NonNullable<Case["later"]>["since"]) => {
    if (drawn.later?.since === since) rules.change(drawn.later.verdict);
  };
  const answersOfDesk = inTurns(
    { toolCalls: [lookup] },
    { toolCalls: [{ name: "refund", input: original }] },
    ...Array.from({ length: drawn.turns }, (_, turn) => ({
      toolCalls: [{ ...lookup, input: { id: `A-${turn + 2}` } }],
    })),
  );
  const answersBeside = inTurns({ toolCalls: [lookup] }, { toolCalls: [lookup] });
  await using harness = await openHarness({
    ...{ database, tools, ...drawn.replay, policy: rules.policy },
    optimizeParallelism: drawn.optimizeParallelism,
    between: (store) =>
      interceptedStore(store, {
        claim: (carryOut, ...args) => {
          changeAt("claim");
          return carryOut(...args);
        },
      }),
    reply: (conversation) => {
      if (conversation.system.includes("beside")) return answersBeside(conversation);
      const turn = conversation.messages.filter(({ role }) => role === "assistant").length;
      if (turn === 1) rules.change(drawn.proposed);
      if (turn === 2) changeAt("next turn");
      return answersOfDesk(conversation);
    },
    run: async ({ countersign, agent, state, message, models, group }) => {
      const profile = rules.profile?.();
      const guarded = (each: typeof agent) =>
        countersign.guard(each, profile === undefined ? {} : { profile });
      const started = [agent, ...(drawn.beside ? [besideOf(agent)] : [])].map(
        (each) => () => guarded(each).run(message, { state: state.clone(), maxIter: 8 }),
      );
      await group.parallel(() => Promise.all(started.map((start) => start())));

      function besideOf({ tools: own }: typeof agent) {
        const given = { tools: [...own.values()], model: models.openai() };
        return createAgent({ name: "beside", system: "You work beside.", ...given });
      }
    },
  });
  const { runId, threadId } = await harness.say("Look up A-1, then refund it");
  const waiting = await harness.onceAtRest(async () => {
    const { body } = await harness.call("finance", "/approvals?status=pending");
    const ended = (await harness.runStatus(runId)).status !== "Running";
    return body.items[0] || ended ? { approval: body.items[0] as ApprovalView | undefined } : undefined;
  }, "the run waits or ends");
  if (waiting.approval) {
    changeAt("waiting");
    await decide(harness, waiting.approval, drawn.fate);
  }
  await harness.ended(runId);
  const { body } = await harness.call("finance", `/approvals?threadId=${threadId}`);
  return { effects: desk.effects, statuses: body.items.map(({ status }: ApprovalView) => status) };
}

/** Decides as the case says, or as the call permits: what a person does themselves is answered. */
async function decide(harness: Harness, approval: ApprovalView, fate: Fate): Promise<void> {
  if (fate === "expire") {
    await harness.clock.advance("31m");
    return;
  }
  const { digest } = approval;
  const body =
    approval.verdict === "manual"
      ? { type: "respond", digest, response: "Done by hand" }
      : { type: fate, digest, ...(fate === "edit" && { input: edited }) };
  const decision = await harness.call("finance", `/approvals/${approval.id}/decision`, {
    method: "POST",
    body,
  });
  // An edit is judged by the present policy, which may have become stricter.
  if (decision.body.code === "edit_not_allowed") return decide(harness, approval, "deny");
  expect(decision.status, JSON.stringify(decision.body)).toBe(200);
}
