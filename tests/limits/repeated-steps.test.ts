import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { limitedCalls } from "../support/limited-calls.js";
import { policyOf } from "../support/policy-of.js";
import { replaceable } from "../support/replaceable-policy.js";
import type { Store } from "../support/store.js";

const upTo = (limit: number) =>
  policyOf([
    {
      tools: "refund",
      verdict: "ask",
      when: `spent("refund", "amount", "24h") > ${limit}`,
      approvers: { roles: ["finance"] },
    },
  ]);

const refund = (id: string, amount: number) => ({ name: "refund", input: { id, amount } });

/** A store whose first proposal is written, and then breaks like a process that dies; `after` happens before the step is retried. */
function dyingAfterProposal(after: (store: Store) => Promise<unknown>) {
  let died = false;
  const between = (store: Store) =>
    interceptedStore(store, {
      propose: async (carryOut, ...args) => {
        const written = await carryOut(...args);
        if (died) return written;
        died = true;
        await after(store);
        throw new Error("the process died");
      },
    });
  return { between, died: () => died };
}

/** One refund of 60 whose step is retried after its calls were written. */
async function retriedRefund(options: {
  limits: [first: number, later: number];
  meanwhile?: (store: Store) => Promise<unknown>;
}) {
  const database = await freshPostgres();
  const { tools, effects } = deskTools();
  const { policy, redeploy } = replaceable(upTo(options.limits[0]));
  const { between, died } = dyingAfterProposal(async (store) => {
    redeploy(upTo(options.limits[1]));
    await options.meanwhile?.(store);
  });
  const harness = await openHarness({
    ...{ database, tools, policy, between },
    reply: inTurns({ toolCalls: [refund("A-1", 60)] }),
  });
  const { runId } = await harness.say("Refund");
  await harness.onceAtRest(async () => died() || undefined, "the step has failed");
  await harness.engine.idle();
  await harness.clock.advance("5m");
  return {
    ...{ database, effects, harness, runId },
    approvals: () => harness.store.listApprovals({ tenantId: "acme", requesterId: "requester", limit: 10 }),
    counted: () =>
      database.admin`select approval_id, amount::float8 as amount from countersign.counted_calls order by position`,
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("a step that is retried after its calls were written", () => {
  it("counts them once", async () => {
    await using run = await retriedRefund({ limits: [100, 100] });
    await run.harness.ended(run.runId);
    expect(run.effects).toHaveLength(1);
    const [approval, ...others] = await run.approvals();
    expect(others).toEqual([]);
    expect(approval).toMatchObject({ verdict: "notify", status: "executed" });
    expect([...(await run.counted())]).toEqual([{ approval_id: approval?.id, amount: 60 }]);
  });

  it("judges them by the numbers that were recorded, whatever was counted since", async () => {
    const others = (store: Store) =>
      limitedCalls(
        store,
        upTo(100),
      )({ calls: [{ input: { id: "B-1", amount: 40 } }] }).then(() =>
        limitedCalls(store, upTo(100))({ calls: [{ input: { id: "B-2", amount: 90 } }] }),
      );
    await using run = await retriedRefund({ limits: [100, 100], meanwhile: others });
    await run.harness.ended(run.runId);
    expect(run.effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 60 } }]);
    const verdicts = (await run.approvals()).map(({ inputJson, verdict }) => [
      JSON.parse(inputJson).id,
      verdict,
    ]);
    expect(new Map(verdicts as [string, string][])).toEqual(
      new Map([
        ["A-1", "notify"],
        ["B-1", "notify"],
        ["B-2", "ask"],
      ]),
    );
  });

  it("starts nothing that the limit of a new policy would ask about", async () => {
    await using run = await retriedRefund({ limits: [100, 50] });
    await run.harness.ended(run.runId);
    expect(run.effects).toEqual([]);
    expect(await run.approvals()).toMatchObject([
      {
        verdict: "notify",
        status: "withdrawn",
        withdrawalCause: "policy_changed",
        terms: { counts: [{ total: 60, limit: 100 }] },
      },
    ]);
  });

  it("runs what it recorded under a new policy with a higher limit, and counts it for the next call", async () => {
    await using run = await retriedRefund({ limits: [70, 100] });
    await run.harness.ended(run.runId);
    expect(run.effects).toHaveLength(1);
    const { runId } = await run.harness.say("Refund");
    const approval = await run.harness.onlyPending();
    expect(approval.input).toEqual({ id: "A-1", amount: 60 });
    await run.harness.decide(approval, "approve");
    await run.harness.ended(runId);
    expect((await run.counted()).map(({ amount }) => amount)).toEqual([60, 60]);
  });
});
