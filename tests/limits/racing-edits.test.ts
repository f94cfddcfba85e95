import type { ApprovalView } from "countersign/hono";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { policyOf } from "../support/policy-of.js";
import type { Store } from "../support/store.js";

/** Finance decides about each refund; above 100 in a day, only the lead does. */
const policy = policyOf([
  {
    ...{ tools: "refund", verdict: "ask", decisions: ["approve", "edit", "deny"], editable: ["amount"] },
    approvers: { roles: ["finance"] },
  },
  {
    ...{ tools: "refund", verdict: "ask", when: 'spent("refund", "amount", "24h") > 100' },
    approvers: { roles: ["lead"] },
  },
]);

const refund = (id: string, amount: number) => ({ name: "refund", input: { id, amount } });

/** Lets so many edits be checked before any of them is decided. */
function deciding(atOnce: number): (store: Store) => Store {
  let open = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  let waiting = 0;
  return (store) =>
    interceptedStore(store, {
      decide: async (carryOut, ...args) => {
        waiting += 1;
        if (waiting >= atOnce) open();
        await all;
        return carryOut(...args);
      },
    });
}

const edit = (harness: Harness, { id, digest, input }: ApprovalView, amount: number) =>
  harness.call("finance", `/approvals/${id}/decision`, {
    method: "POST",
    body: { type: "edit", digest, input: { ...(input as object), amount } },
  });

describe("edits of counted calls", () => {
  it("that exceed a limit only together do not all start", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const reply = inTurns({ toolCalls: [refund("A-1", 10), refund("A-2", 10), refund("A-3", 10)] });
    const between = deciding(3);
    await using harness = await openHarness({ database, tools, policy, reply, between });
    const { runId } = await harness.say("Refund three orders");
    const approvals = await harness.pending(3);
    const answers = await Promise.all(approvals.map((approval) => edit(harness, approval, 45)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await harness.ended(runId);
    expect(effects).toHaveLength(2);
    const ended = await Promise.all(approvals.map(({ id }) => harness.approval(id)));
    expect(ended.map(({ status, withdrawalCause }) => [status, withdrawalCause]).sort()).toEqual([
      ["executed", null],
      ["executed", null],
      ["withdrawn", "policy_changed"],
    ]);
  });

  it("are refused to those who may not decide about the sum that they lead to", async () => {
    await using database = await freshPostgres();
    const { tools } = deskTools();
    const reply = inTurns({ toolCalls: [refund("A-1", 50), refund("A-2", 10)] });
    await using harness = await openHarness({ database, tools, policy, reply });
    await harness.say("Refund two orders");
    const [second] = (await harness.pending(2)).filter(({ input }) => JSON.stringify(input).includes("A-2"));
    if (!second) throw new Error("the second refund is missing");
    expect(await edit(harness, second, 51)).toMatchObject({ status: 403 });
    expect((await edit(harness, second, 50)).status).toBe(200);
  });

  it("to less make room for the calls behind them", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const reply = inTurns({ toolCalls: [refund("A-1", 90)] }, { toolCalls: [refund("A-2", 80)] });
    await using harness = await openHarness({ database, tools, policy, reply });
    const { runId } = await harness.say("Refund two orders");
    expect((await edit(harness, await harness.onlyPending(), 20)).status).toBe(200);
    const second = await harness.onlyPending();
    expect(second.input).toEqual({ id: "A-2", amount: 80 });
    expect((await harness.decide(second, "approve")).status).toBe(200);
    await harness.ended(runId);
    expect(effects.map(({ input }) => input)).toEqual([
      { id: "A-1", amount: 20 },
      { id: "A-2", amount: 80 },
    ]);
  });
});
