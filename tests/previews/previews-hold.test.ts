// What a preview, a reload of the policy or a crash must not achieve.
import { createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, deny, durable, gateTool, type PolicyCall, withPreview } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { endedAfterRetries } from "../support/checked-workspace.js";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { readByModel, refundInput, rehearsedShop, waysIn } from "../support/rehearsed-shop.js";
import { replaceable } from "../support/replaceable-policy.js";
import { takeWarning } from "../support/run/warnings.js";

const agentKit = waysIn["a plain tool of AgentKit"];
const parameters = z.object({ orderId: z.string(), amount: z.number() });

/** Allows a call that changes one thing. */
const ifSmall = definePolicy({
  tools: {
    refund: ({ effects }: Pick<PolicyCall, "effects">) =>
      effects?.length === 1 ? allow() : deny("Too much"),
    pause: ask(),
  },
});
const asking = definePolicy({ tools: { refund: ask(), pause: ask() } });
const allowing = definePolicy({ tools: { refund: allow(), pause: ask() } });

/** An agent of AgentKit whose first response pauses and then refunds, and whose second pauses again. */
function openPausing(shop: ReturnType<typeof rehearsedShop>, options: Parameters<typeof agentKit>[1]) {
  const pause = createTool({ name: "pause", parameters: z.object({}), handler: () => "paused" });
  const refund = durable(
    withPreview(
      createTool({
        ...{ name: "refund", parameters },
        handler: (given, { step }) => step?.run("refund", () => shop.refund(given)),
      }),
      shop.preview,
    ),
  );
  const twoCalls = [
    { name: "pause", input: {} },
    { name: "refund", input: refundInput },
  ];
  return openHarness({
    tools: [pause, refund],
    reply: inTurns({ toolCalls: twoCalls }, { toolCalls: [{ name: "pause", input: {} }] }),
    ...options,
  });
}

describe("a call that was allowed", () => {
  it("and has run is not asked what it would change after a reload, nor answered as if it had not run", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    const { policy, redeploy } = replaceable(allowing);
    await using harness = await openPausing(shop, { database, policy });
    const { runId } = await harness.say("Refund A-1001");
    await harness.decide(await harness.onlyPending(), "approve");
    const second = await harness.onceAtRest(async () => {
      const { body } = await harness.call("finance", "/approvals?status=pending");
      return body.items[0];
    }, "the second pause");
    expect(shop.ran).toEqual([refundInput]);
    redeploy(ifSmall);
    shop.say = () => ({ effects: [] });
    await harness.decide(second, "approve");
    await harness.ended(runId);
    expect(await readByModel(harness, runId)).not.toContain("did not run");
    expect(shop.rehearsed).toEqual([]);
  });

  it.each([
    [
      "does not run if that is another",
      [{ target: "order A-1001" }, { target: "all the others" }],
      ifSmall,
      0,
    ],
    ["runs if that is still so", [{ target: "order A-1001" }], ifSmall, 1],
    [
      "does not run, and is not asked about, under a stricter policy",
      [{ target: "order A-1001" }],
      asking,
      0,
    ],
  ])("for what it would change %s", async (_what, effects, later, runs) => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = () => ({ effects: [{ target: "order A-1001" }] });
    const { policy, redeploy } = replaceable(ifSmall);
    await using harness = await openPausing(shop, { database, policy });
    const { runId } = await harness.say("Refund A-1001");
    const pause = await harness.onlyPending();
    redeploy(later);
    shop.say = () => ({ effects });
    await harness.decide(pause, "approve");
    await harness.decide(await harness.nextPending(pause), "approve");
    await harness.ended(runId);
    expect(shop.ran).toHaveLength(runs);
    expect(shop.moments()).toEqual(["proposal", "start"]);
    expect((await readByModel(harness, runId)).includes("did not run")).toBe(runs === 0);
  });

  it("for what it would change starts once, however often its run is replayed", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = () => ({ effects: [{ target: "order A-1001" }] });
    const pause = createTool({ name: "pause", parameters: z.object({}), handler: () => "paused" });
    const refund = withPreview(
      createTool({ name: "refund", parameters, handler: (given) => shop.refund(given) }),
      shop.preview,
    );
    const call = { name: "refund", input: refundInput };
    await using harness = await openHarness({
      ...{ database, policy: ifSmall, tools: [pause, refund], replaying: "each-step" },
      reply: inTurns(
        { toolCalls: [call, { name: "pause", input: {} }] },
        { toolCalls: [{ name: "pause", input: {} }] },
      ),
    });
    const { runId } = await harness.say("Refund A-1001");
    const first = await harness.onlyPending();
    await harness.decide(first, "approve");
    await harness.decide(await harness.nextPending(first), "approve");
    await harness.ended(runId);
    expect(shop.ran).toEqual([refundInput]);
    const refunds = await harness.store.listApprovals({
      tenantId: "acme",
      statuses: ["executed"],
      limit: 10,
    });
    expect(refunds.filter(({ toolName }) => toolName === "refund")).toMatchObject([{ verdict: "notify" }]);
  });
});

describe("a preview", () => {
  it.each([
    ["a promise that nobody awaited", () => Promise.resolve(1)],
    ["a map", () => new Map([["version", 1]])],
    ["NaN", () => Number.NaN],
    ["undefined", () => undefined],
    ["a function", () => () => 1],
  ])("whose state is %s is none, because every other state would agree with it", async (_what, state) => {
    takeWarning(/The preview of refund returned something else/);
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = () => ({ effects: [{ target: "order A-1001" }], state: state() });
    await using harness = await agentKit(shop, { database });
    await harness.say("Refund A-1001");
    expect((await harness.onlyPending()).preview).toMatchObject({ failed: "invalid" });
  });

  it("cannot make its requester someone else", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = (_input, { requester }) => {
      const roles: unknown = requester?.roles;
      if (Array.isArray(roles)) roles.push("admin");
      return { effects: [{ target: "order A-1001" }] };
    };
    const policy = definePolicy({
      tools: { refund: ({ principal }) => (principal?.roles.includes("admin") ? allow() : ask()) },
    });
    await using harness = await agentKit(shop, { database, policy });
    await harness.say("Refund A-1001");
    await harness.onlyPending();
    expect(shop.ran).toEqual([]);
  });

  it("that fails for changed arguments keeps them from running, though it did for those that people saw", async () => {
    takeWarning(/The preview of refund threw/);
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = ({ amount }) => {
      if (amount > 100) throw new Error("more than was paid");
      return { effects: [{ target: "order A-1001" }] };
    };
    await using harness = await agentKit(shop, { database });
    const { runId } = await harness.say("Refund A-1001");
    const { id, digest } = await harness.onlyPending();
    const body = { type: "edit", digest, input: { ...refundInput, amount: 8000 } };
    const { status } = await harness.call("finance", `/approvals/${id}/decision`, { method: "POST", body });
    expect(status).toBe(200);
    await harness.ended(runId);
    expect(shop.ran).toEqual([]);
    expect(await harness.approval(id)).toMatchObject({ withdrawalCause: "effects_changed" });
    expect(await readByModel(harness, runId)).toContain("could not be found out");
  });

  it("shows nothing of what rules hide, in whatever form it repeats it", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = () => ({
      effects: [{ target: "Order a-1001", before: { "A-1001": "paid" }, after: "80.00 back", count: 2 }],
    });
    const policy = definePolicy({ tools: { refund: ask({ redact: ["amount", "orderId"] }) } });
    await using harness = await agentKit(shop, { database, policy });
    await harness.say("Refund A-1001");
    expect((await harness.onlyPending()).preview?.effects).toEqual([{ target: "[hidden]" }]);
  });

  it("is not said to have failed if the process ended after the call was withdrawn", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    let ended = false;
    await using harness = await agentKit(shop, {
      database,
      between: (store) =>
        interceptedStore(store, {
          claim: async (carryOut, ...args) => {
            const result = await carryOut(...args);
            if (ended) return result;
            ended = true;
            throw new Error("The process ended");
          },
        }),
    });
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    shop.orders.set("A-1001", { status: "refunded by hand", version: 2 });
    await harness.decide(approval, "approve");
    await endedAfterRetries(harness, runId);
    expect(ended).toBe(true);
    expect(shop.ran).toEqual([]);
    const read = await readByModel(harness, runId);
    expect(read).toContain("effects_changed");
    expect(read).not.toContain("could not be found out");
  });

  it("lets the tool's needsApproval be asked once", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    let asked = 0;
    const refund = gateTool({
      ...{ name: "refund", inputSchema: parameters, execute: shop.refund, preview: shop.preview },
      needsApproval: () => ++asked > 0,
    });
    await using harness = await openHarness({
      ...{ database, policy: allowing, tools: [], reply: () => ({ text: "unused" }) },
      run: async ({ countersign, step }) =>
        countersign
          .gate({ step, context: { requester: { id: "requester" } } })
          .calls([refund], [{ id: "one", name: "refund", input: refundInput }]),
    });
    await harness.say("Refund A-1001");
    await harness.onlyPending();
    expect(asked).toBe(1);
  });

  it("says that the state changed if the effects did not", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    await using harness = await agentKit(shop, { database });
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    shop.orders.set("A-1001", { status: "paid", version: 2 });
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(await readByModel(harness, runId)).toContain("the state that this depends on is another one");
  });

  it("of which a rule insists denies calls without one", async () => {
    takeWarning(/The preview of refund threw/);
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = () => Promise.reject(new Error("no"));
    const policy = definePolicy({ tools: { refund: ask({ withoutPreview: "deny" }) } });
    await using harness = await agentKit(shop, { database, policy });
    const { runId } = await harness.say("Refund A-1001");
    await harness.ended(runId);
    expect(shop.ran).toEqual([]);
    expect(await readByModel(harness, runId)).toContain("denied_by_policy");
  });
});

it("a call that waits since before there were previews is shown, decided and run", async () => {
  await using database = await freshPostgres();
  const ran: string[] = [];
  const erase = createTool({
    ...{ name: "erase", parameters: z.object({ id: z.string() }) },
    handler: ({ id }) => ran.push(id),
  });
  await using harness = await openHarness({
    ...{ database, tools: [erase], policy: definePolicy({ tools: { erase: ask() } }) },
    reply: inTurns({ toolCalls: [{ name: "erase", input: { id: "C-1" } }] }),
  });
  const { runId } = await harness.say("Erase C-1");
  const { id } = await harness.onlyPending();
  await database.admin`update countersign.approvals set terms = terms - 'preview'`;
  const approval = await harness.approval(id);
  expect(approval).toMatchObject({ status: "pending", preview: null });
  expect((await harness.decide(approval, "approve")).status).toBe(200);
  await harness.ended(runId);
  expect(ran).toEqual(["C-1"]);
});
