// A call that nobody was asked about waits for its neighbour. Meanwhile the preview finds other effects in the same state.
import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, deny, notify, type PolicyCall, withPreview } from "countersign";
import type { CountersignOptions } from "countersign/agent-kit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";
import { refundInput, rehearsedShop } from "../support/rehearsed-shop.js";

const pause = createTool({ name: "pause", parameters: z.object({}), handler: () => "paused" });
const granting = definePolicy({ tools: { refund: ask({ grantable: ["thread"] }), pause: ask() } });
const notifyingIfFew = definePolicy({
  tools: {
    refund: ({ effects }: Pick<PolicyCall, "effects">) =>
      effects?.every(({ count = 0 }) => count < 10) ? notify() : deny("Too many"),
    pause: ask(),
  },
});

/** A refund that waits for a pause, after what `given` was decided about an equal refund. */
async function openWaiting(options: Partial<CountersignOptions>, grant: object | undefined) {
  const database = await freshPostgres();
  const shop = rehearsedShop();
  const effects = (count: number) => () => ({ effects: [{ target: "orders", count }], state: "same" });
  shop.say = effects(1);
  const parameters = z.object({ orderId: z.string(), amount: z.number() });
  const refund = withPreview(
    createTool({ name: "refund", parameters, handler: (given) => shop.refund(given) }),
    shop.preview,
  );
  const harness = await openHarness({
    ...{ database, tools: [refund, pause], policy: granting, reply: callsFromMessage, countersign: options },
  });
  const call = { name: "refund", input: refundInput };
  let threadId: string | undefined;
  if (grant) {
    const first = await harness.say(callsOf(call));
    threadId = first.threadId;
    const { id, digest } = await harness.onlyPending();
    const body = { type: "approve", digest, grant: { scope: "thread", ...grant } };
    const { status } = await harness.call("finance", `/approvals/${id}/decision`, { method: "POST", body });
    expect(status).toBe(200);
    await harness.ended(first.runId);
  }
  const { runId } = await harness.say(callsOf({ name: "pause", input: {} }, call), threadId);
  const waits = await harness.onlyPending();
  const found = await harness.store.listApprovals({ tenantId: "acme", statuses: ["approved"], limit: 10 });
  expect(found).toMatchObject([{ toolName: "refund" }]);
  const [refunded] = found;
  shop.ran.length = 0;
  return {
    /** Goes on with so many effects. */
    async goOn(count: number) {
      shop.say = effects(count);
      await harness.decide(waits, "approve");
      await harness.ended(runId);
      return { ran: shop.ran.length, approval: await harness.approval(refunded?.id ?? "") };
    },
    told: () => JSON.stringify(harness.model.requests.at(-1)?.body),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const keys = [
  ["a signing key", { signingKey: "one-secret-that-is-long-enough-for-a-key" }],
  ["no signing key", {}],
] as const;
const when = "effects.all(e, has(e.count) && e.count < 10)";

describe.each(keys)("with %s, a call that a grant approved for its effects", (_key, options) => {
  it.each([
    ["a grant", { arguments: { when } }],
    ["a grant with a budget", { arguments: { when }, budget: { amount: "amount", total: 1000 } }],
  ])("does not start when it would change more, by %s", async (_what, grant) => {
    await using waiting = await openWaiting(options, grant);
    expect(await waiting.goOn(1000)).toMatchObject({
      ran: 0,
      approval: { status: "withdrawn", withdrawalCause: "effects_changed" },
    });
    expect(waiting.told()).toContain("effects_changed");
  });

  it("starts when it still meets the condition", async () => {
    await using waiting = await openWaiting(options, { arguments: { when } });
    expect(await waiting.goOn(9)).toMatchObject({ ran: 1, approval: { status: "executed" } });
  });
});

it.each([
  [1000, { ran: 0, approval: { withdrawalCause: "policy_changed" } }],
  [9, { ran: 1, approval: { status: "executed" } }],
])("a call that notifies for its effects is judged by the %d of the start", async (count, expected) => {
  await using waiting = await openWaiting({ policy: notifyingIfFew }, undefined);
  expect(await waiting.goOn(count)).toMatchObject(expected);
});
