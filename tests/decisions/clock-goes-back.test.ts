import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { bookingRule, openBookingDesk } from "../support/booking-desk.js";
import { freshPostgres } from "../support/databases.js";
import { secret, withKey } from "../support/evidence/tampering.js";
import { onHold } from "../support/holds.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefundOn, type WaitingRefundOptions } from "../support/waiting-refund.js";

const rule = { approvers: { roles: ["finance", "lead"] } };

/** A pending refund on a database whose clock a test can set back, as a failover to a machine that is behind does. */
async function open(options: WaitingRefundOptions = {}) {
  const database = await freshPostgres();
  let backMs = 0;
  let now = Date.now;
  const store = postgresStore({
    client: database.postgres,
    clockOffset: () => now() - Date.now() - backMs,
  });
  const world = await openWaitingRefundOn(database, { ...withKey, ...options, between: () => store });
  now = () => world.harness.clock.now();
  return {
    ...world,
    ...onHold(world),
    setBack: (ms: number) => {
      backMs += ms;
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("a decision after the database's clock has gone back by 10 minutes", () => {
  const ms = 600_000;
  it.each([
    ["with a key", withKey, ms],
    ["without a key", { countersign: {} }, ms],
    ["by 10 seconds only, with a key", withKey, 10_000],
  ])("lets the call run, and agrees with the log (%s)", async (_, options, back) => {
    await using world = await open(options);
    const { harness, approval, effects, setBack } = world;
    setBack(back);
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
    const { announcedAt, decision, status } = await harness.approval(approval.id);
    expect(status).toBe("executed");
    expect(Date.parse(decision?.decidedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(announcedAt ?? ""));
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("counts votes", async () => {
    await using world = await open({
      policy: definePolicy({ tools: { refund: ask({ ...rule, quorum: 2 }) } }),
    });
    const { harness, approval, effects, setBack } = world;
    setBack(ms);
    for (const token of ["finance", "lead"])
      expect((await harness.decide(approval, "approve", token)).status).toBe(200);
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it.each([10_000, ms])("takes effect after it was held (by %i ms)", async (back) => {
    await using world = await open();
    const { harness, effects, setBack } = world;
    setBack(back);
    expect((await world.held(6_000)).status).toBe(200);
    await harness.clock.advance(4_000);
    expect(effects).toEqual([]);
    await harness.clock.advance(4_000);
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("starts the call if the clock goes back after the end of its hold", async () => {
    await using world = await open();
    const { harness, approval, effects, setBack } = world;
    await world.held(6_000);
    await harness.engine.idle();
    await harness.engine.stop();
    await harness.clock.advance(7_000);
    await harness.store.settle(approval.requestId, 0);
    expect(await harness.approval(approval.id)).toMatchObject({ status: "approved" });
    setBack(ms);
    await harness.engine.start();
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("gives the model an answer or what was edited", async () => {
    const policy = definePolicy({
      tools: { refund: ask({ ...rule, decisions: ["approve", "edit", "respond"], editable: ["amount"] }) },
    });
    for (const body of [
      { type: "respond", response: "Paid by hand" },
      { type: "edit", input: { id: "A-1", amount: 70 } },
    ]) {
      await using world = await open({ policy });
      world.setBack(ms);
      expect((await world.held(0, body)).status).toBe(200);
      await world.harness.ended(world.runId);
      const told = JSON.stringify(world.harness.model.requests.at(-1)?.body);
      if (body.type === "respond") expect(told).toContain("Paid by hand");
      else expect(world.effects).toEqual([{ tool: "refund", input: body.input }]);
    }
  });

  it("counts if its person decides because of an escalation", async () => {
    const escalation = [{ after: "9m", escalateTo: ["lead"] }];
    const policy = definePolicy({
      tools: { refund: ask({ approvers: { roles: ["finance"] }, escalation }) },
    });
    await using world = await open({ policy });
    const { harness, approval, effects, setBack } = world;
    await harness.clock.advance("9m");
    await harness.engine.idle();
    setBack(ms);
    expect((await harness.decide(approval, "approve", "lead")).status).toBe(200);
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
  });

  it("lets an undo run", async () => {
    await using database = await freshPostgres();
    let backMs = 0;
    const store = postgresStore({ client: database.postgres, clockOffset: () => -backMs });
    await using desk = await openBookingDesk(database, {
      rules: [bookingRule, { tools: "book.undo", verdict: "ask", ...rule, quorum: 2 }],
      countersign: { signingKey: secret },
      between: () => store,
    });
    const { call } = await desk.book("A-1");
    const undo = await desk.undo(call);
    backMs = ms;
    await desk.decide(undo, "approve", "lead");
    await desk.until(undo.id, "executed");
    expect(desk.cancelled).toHaveLength(1);
  });
});
