import { allow, ask, definePolicy, deny, gateTool } from "countersign";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { policyOf } from "../support/policy-of.js";
import { readByModel, refundInput, rehearsedShop, waysIn } from "../support/rehearsed-shop.js";
import { takeWarning } from "../support/run/warnings.js";

const crashPoint = Symbol.for("countersign:crash-point");

afterEach(() => {
  Reflect.deleteProperty(globalThis, crashPoint);
});

const asProposed = {
  failed: null,
  effects: [{ target: "order A-1001", before: "paid", after: "refunded 80" }],
  reversible: false,
};

it.each(Object.entries(waysIn))(
  "%s with a preview shows people what would change, runs once if that is still so, and otherwise not at all",
  async (_way, open) => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    await using harness = await open(shop, { database });
    const { runId, threadId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    expect(approval.preview).toEqual(asProposed);
    expect(shop.ran).toEqual([]);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(shop.ran).toEqual([refundInput]);
    expect(shop.moments()).toEqual(["proposal", "start"]);
    expect(shop.rehearsed.map(({ input }) => input)).toEqual([refundInput, refundInput]);
    const asker = { tenantId: "acme", toolName: "refund", threadId };
    expect(shop.rehearsed[0]?.context).toMatchObject({ ...asker, approvalId: null });
    expect(shop.rehearsed[1]?.context).toMatchObject({ ...asker, approvalId: approval.id });
    expect(shop.rehearsed[1]?.context.requester).toMatchObject({ id: "requester" });
    expect(await harness.approval(approval.id)).toMatchObject({ status: "executed", preview: asProposed });

    shop.orders.set("A-1001", { status: "paid", version: 1 });
    const second = await harness.say("Refund A-1001");
    const stale = await harness.onlyPending();
    shop.orders.set("A-1001", { status: "refunded by hand", version: 2 });
    await harness.decide(stale, "approve");
    await harness.ended(second.runId);
    expect(shop.ran).toHaveLength(1);
    expect(await harness.approval(stale.id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "effects_changed",
    });
    const read = await readByModel(harness, second.runId);
    expect(read).toContain("It was approved for: order A-1001: ");
    expect(read).toContain("Now it would be: order A-1001: “refunded by hand” → ");
    const log = await harness.store.listAudit({ tenantId: "acme" });
    expect(log.filter(({ type }) => type === "approval.withdrawn")).toMatchObject([
      { approvalId: stale.id, data: { cause: "effects_changed", field: "order A-1001" } },
    ]);
  },
);

const agentKit = waysIn["a plain tool of AgentKit"];

/** A model that refunds each of these orders in its first response. */
const refunding = (...orders: string[]) =>
  inTurns({ toolCalls: orders.map((orderId) => ({ name: "refund", input: { orderId, amount: 80 } })) });

const anyJson = { rows: [1e21, -0, 499.999999999, "\0 \u202e", null, { deep: [[]] }], "": "" };
const anyEffects = [{ target: "rows", before: anyJson, after: null, count: 40_000 }, { target: "a mail" }];

/** What a preview says, by the order, and why it is none. */
const said: Record<string, { failed: string | null; say(): unknown }> = {
  rejects: { failed: "threw", say: () => Promise.reject(new Error("postgres://shop:hunter2@db")) },
  misspelled: { failed: "invalid", say: () => ({ effects: [{ target: "order", befor: "paid" }] }) },
  nothing: { failed: "invalid", say: () => undefined },
  "101 effects": {
    failed: "invalid",
    say: () => ({ effects: Array.from({ length: 101 }, () => ({ target: "order" })) }),
  },
  large: {
    failed: "invalid",
    say: () => ({ effects: [{ target: "order", before: "x".repeat(140_000) }] }),
  },
  "no JSON": {
    failed: "invalid",
    say: () => ({ effects: [{ target: "order", before: new Map([[1, 1]]) }] }),
  },
  "reversible soon": { failed: "invalid", say: () => ({ effects: [], reversible: "soon" }) },
  "any JSON": { failed: null, say: () => ({ effects: anyEffects }) },
};

describe("a preview", () => {
  it("may say any JSON, which the digest covers exactly; if it throws or is invalid, people decide without it", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = ({ orderId }) => said[orderId]?.say();
    const log: unknown[][] = [];
    const note = (...words: unknown[]) => void log.push(words);
    const logger = { info: note, warn: note, error: note };
    const orders = Object.keys(said);
    await using harness = await agentKit(shop, {
      ...{ database, countersign: { logger }, reply: refunding(...orders) },
    });
    const { runId } = await harness.say("Refund all");
    const asked = await harness.pending(orders.length);
    const shown = asked.map(({ input, preview }) => [Reflect.get(Object(input), "orderId"), preview]);
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(
        orders.map((order) => [
          order,
          said[order]?.failed
            ? { failed: said[order].failed, effects: [], reversible: null }
            : expect.objectContaining({ failed: null, effects: JSON.parse(JSON.stringify(anyEffects)) }),
        ]),
      ),
    );
    for (const approval of asked) await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(shop.ran.map(({ orderId }) => orderId).toSorted()).toEqual(orders.toSorted());
    const warned = log.filter(([first]) => String(first).startsWith("The preview of refund "));
    expect(warned.length).toBeGreaterThanOrEqual(orders.length - 1);
    expect(JSON.stringify([harness.model.requests, log])).not.toContain("hunter2");
  });

  it("that cannot be found out again keeps the call from starting", async () => {
    takeWarning(/The preview of refund threw/);
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    await using harness = await agentKit(shop, { database });
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    shop.say = () => {
      throw new Error("postgres://shop:hunter2@db");
    };
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(shop.ran).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "effects_changed" });
    const read = await readByModel(harness, runId);
    expect(read).toContain("Now it would be: could not be found out.");
    expect(read).not.toContain("hunter2");
  });

  it("whose row somebody changes opens nothing", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    await using harness = await agentKit(shop, { database });
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    await database.admin`
      update countersign.approvals set terms = jsonb_set(terms, '{preview,effectsJson}', '"[]"')`;
    await harness.decide(approval, "approve").catch(() => {});
    await harness.engine.idle();
    expect(shop.ran).toEqual([]);
    await harness.store.withdrawRun(runId, "run_cancelled");
  });

  it("is asked about the changed arguments too after an edit, and about those that people saw", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    await using harness = await agentKit(shop, { database });
    const { runId } = await harness.say("Refund A-1001");
    const { id, digest } = await harness.onlyPending();
    const body = { type: "edit", digest, input: { ...refundInput, amount: 50 } };
    expect(
      (await harness.call("finance", `/approvals/${id}/decision`, { method: "POST", body })).status,
    ).toBe(200);
    await harness.ended(runId);
    expect(shop.ran).toEqual([{ ...refundInput, amount: 50 }]);
    expect(
      shop.rehearsed
        .slice(1)
        .map(({ input }) => input.amount)
        .sort(),
    ).toEqual([50, 80]);
  });

  it("is asked for calls of which people are only told, and not for those allowed or denied whatever they change", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    const verdicts = { free: "allow", never: "deny", told: "notify" };
    const policy = policyOf(
      Object.entries(verdicts).map(([order, verdict]) => ({
        ...{ tools: "refund", when: `input.orderId == "${order}"`, verdict },
        ...(verdict === "deny" && { reason: "No" }),
      })),
    );
    const reply = refunding(...Object.keys(verdicts));
    await using harness = await agentKit(shop, { database, policy, reply });
    const { runId } = await harness.say("Refund them");
    await harness.ended(runId);
    expect(new Set(shop.rehearsed.map(({ input }) => input.orderId))).toEqual(new Set(["told"]));
    // AgentKit enters handlers of allowed calls again on each replay.
    expect(new Set(shop.ran.map(({ orderId }) => orderId))).toEqual(new Set(["free", "told"]));
    const rows = await harness.store.listApprovals({ tenantId: "acme", limit: 10 });
    expect(rows.find(({ verdict }) => verdict === "notify")?.terms.preview).toMatchObject({
      reversible: false,
    });
  });

  it("is not asked twice by a repeated proposal", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    let crashed = false;
    Reflect.set(globalThis, crashPoint, (name: string) => {
      if (name !== "after-propose" || crashed) return;
      crashed = true;
      throw new Error("The process ended");
    });
    await using harness = await agentKit(shop, { database });
    await harness.say("Refund A-1001");
    const approval = await harness.onceAtRest(async () => {
      await harness.clock.advance("1m");
      const { body } = await harness.call("finance", "/approvals?status=pending");
      return body.items[0];
    }, "a pending call");
    expect(crashed).toBe(true);
    expect(shop.moments()).toEqual(["proposal"]);
    expect(approval.preview).toEqual(asProposed);
  });

  it("is asked again before a call that was allowed for what it would change", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    const small = ({ effects }: { effects?: readonly unknown[] | null | undefined }) =>
      effects?.length === 1 ? allow() : deny("Too much");
    const policy = definePolicy({ tools: { refund: small, pause: ask() } });
    await using harness = await openHarness({
      ...{ database, policy, tools: [], reply: () => ({ text: "unused" }) },
      run: async ({ countersign, step, state }) => {
        const context = { requester: { id: "requester" }, threadId: String(state.threadId) };
        const inputSchema = z.object({ orderId: z.string(), amount: z.number() });
        const refund = gateTool({
          ...{ name: "refund", inputSchema, execute: shop.refund, preview: shop.preview },
        });
        const pause = gateTool({ name: "pause", inputSchema: z.object({}), execute: () => "paused" });
        return countersign.gate({ step, context }).calls(
          [refund, pause],
          [
            { id: "one", name: "pause", input: {} },
            { id: "two", name: "refund", input: refundInput },
          ],
        );
      },
    });
    for (const isSmall of [true, false]) {
      const { runId } = await harness.say("Refund A-1001");
      // The allowed call waits for its neighbour, and the world goes on meanwhile.
      const approval = await harness.onlyPending();
      if (!isSmall)
        shop.say = () => ({ effects: [{ target: "order A-1001" }, { target: "all the others" }] });
      await harness.decide(approval, "approve");
      const { output } = await harness.ended(runId);
      expect(output).toMatchObject([
        { status: "executed" },
        isSmall ? { status: "executed" } : { status: "refused", refusal: { code: "effects_changed" } },
      ]);
      expect(shop.ran).toHaveLength(1);
    }
    const refunds = await harness.store.listApprovals({ tenantId: "acme", limit: 10 });
    expect(refunds.filter(({ toolName }) => toolName === "refund")).toMatchObject([
      { verdict: "notify", status: "executed" },
      { verdict: "notify", status: "withdrawn", withdrawalCause: "effects_changed" },
    ]);
  });

  it("hides from people, the log and the model's words about it what the rule hides", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    const policy = definePolicy({ tools: { refund: ask({ redact: ["orderId"] }) } });
    await using harness = await agentKit(shop, { database, policy });
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    expect(approval.preview?.effects).toEqual([{ target: "[hidden]" }]);
    shop.orders.set("A-1001", { status: "refunded A-1001 by hand", version: 2 });
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    const log = await harness.store.listAudit({ tenantId: "acme" });
    expect(JSON.stringify(log)).not.toContain("A-1001");
    expect(log.filter(({ type }) => type === "approval.withdrawn")).toMatchObject([
      { data: { cause: "effects_changed" } },
    ]);
    const read = await readByModel(harness, runId);
    expect(read).toContain("[hidden]");
    expect(read).not.toContain("by hand");
  });
});
