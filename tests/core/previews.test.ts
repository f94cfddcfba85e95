import { allow, ask, definePolicy, deny, gateTool, notify } from "countersign";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";
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

describe.each(Object.entries(waysIn))("%s with a preview", (_way, open) => {
  it("shows people what would change, and runs once if that is still so", async () => {
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
  });

  it("starts nothing if the world has changed since, and says what would change now", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    await using harness = await open(shop, { database });
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    shop.orders.set("A-1001", { status: "refunded by hand", version: 2 });
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(shop.ran).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "effects_changed",
    });
    const read = await readByModel(harness, runId);
    expect(read).toContain("It was approved for: order A-1001: ");
    expect(read).toContain("Now it would be: order A-1001: “refunded by hand” → ");
    const log = await harness.store.listAudit({ tenantId: "acme" });
    expect(log.filter(({ type }) => type === "approval.withdrawn")).toMatchObject([
      { approvalId: approval.id, data: { cause: "effects_changed", field: "order A-1001" } },
    ]);
  });

  it("starts nothing if its effects cannot be found out again", async () => {
    takeWarning(/The preview of refund threw/);
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    await using harness = await open(shop, { database });
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
});

const agentKit = waysIn["a plain tool of AgentKit"];

describe("a preview", () => {
  it.each([
    ["threw", () => Promise.reject(new Error("postgres://shop:hunter2@db"))],
    ["invalid", () => ({ effects: [{ target: "order", befor: "paid" }] })],
    ["invalid", () => undefined],
    ["invalid", () => ({ effects: Array.from({ length: 101 }, () => ({ target: "order" })) })],
    ["invalid", () => ({ effects: [{ target: "order", before: "x".repeat(140_000) }] })],
    ["invalid", () => ({ effects: [{ target: "order", before: new Map([[1, 1]]) }] })],
    ["invalid", () => ({ effects: [], reversible: "soon" })],
  ])("that %s is none, and people decide without it", async (failed, say) => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    shop.say = say;
    const log: unknown[][] = [];
    const note = (...words: unknown[]) => void log.push(words);
    const logger = { info: note, warn: note, error: note };
    await using harness = await agentKit(shop, { database, countersign: { logger } });
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    expect(approval.preview).toEqual({ failed, effects: [], reversible: null });
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(shop.ran).toEqual([refundInput]);
    expect(log.map(([first]) => first)).toContainEqual(expect.stringContaining("The preview of refund "));
    expect(JSON.stringify([harness.model.requests, log])).not.toContain("hunter2");
  });

  it("may say any JSON, which the digest covers exactly", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    const before = { rows: [1e21, -0, 499.999999999, "\0 \u202e", null, { deep: [[]] }], "": "" };
    shop.say = () => ({
      effects: [{ target: "rows", before, after: null, count: 40_000 }, { target: "a mail" }],
    });
    await using harness = await agentKit(shop, { database });
    const { runId } = await harness.say("Refund A-1001");
    const approval = await harness.onlyPending();
    expect(approval.preview?.effects).toEqual([
      { target: "rows", before: JSON.parse(JSON.stringify(before)), after: null, count: 40_000 },
      { target: "a mail" },
    ]);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(shop.ran).toEqual([refundInput]);
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

  it("is not asked for calls that are allowed or denied whatever they change", async () => {
    for (const verdict of [allow(), deny("No")]) {
      await using database = await freshPostgres();
      const shop = rehearsedShop();
      const policy = definePolicy({ tools: { refund: verdict } });
      await using harness = await agentKit(shop, { database, policy });
      const { runId } = await harness.say("Refund A-1001");
      await harness.ended(runId);
      expect(shop.rehearsed).toEqual([]);
      // AgentKit enters handlers of allowed calls again on each replay.
      expect(shop.ran.length > 0).toBe(verdict.kind === "allow");
    }
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

  it("tells people what a call changed that only tells them", async () => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    const policy = definePolicy({ tools: { refund: notify() } });
    await using harness = await agentKit(shop, { database, policy });
    const { runId } = await harness.say("Refund A-1001");
    await harness.ended(runId);
    expect(shop.ran).toEqual([refundInput]);
    const [told] = await harness.store.listApprovals({ tenantId: "acme", limit: 10 });
    expect(told?.terms.preview).toMatchObject({ reversible: false });
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
