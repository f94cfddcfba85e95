import { ask, definePolicy } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withKey } from "../support/evidence/tampering.js";
import { onHold } from "../support/holds.js";
import { stopCalls } from "../support/stops.js";
import { openRefundDesk, type RefundDesk, type WaitingRefundOptions } from "../support/waiting-refund.js";

const rule = { approvers: { roles: ["finance", "lead"] } };
/** A call whose row was changed by somebody else. */
const changed = { status: "withdrawn", withdrawalCause: "digest_changed" };
const allTypes = ["approve", "edit", "deny", "respond"] as const;
const byTwo = definePolicy({ tools: { refund: ask({ ...rule, quorum: 2 }) } });

/** A refund of its own on a desk, and what people do with it. */
async function refundOn(desk: RefundDesk, amount?: number) {
  const world = await desk.refund(amount);
  return { ...world, ...onHold(world) };
}

/** A desk that all tests of a group share. */
function sharedDesk(options: WaitingRefundOptions = {}) {
  let desk: RefundDesk | undefined;
  beforeAll(async () => {
    desk = await openRefundDesk(options);
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());
  return (amount?: number) => {
    if (!desk) throw new Error("The desk is not open");
    return refundOn(desk, amount);
  };
}

const plain = sharedDesk();
const keyed = sharedDesk(withKey);

/** How long a decision is held, in milliseconds. */
function heldMs({ until, decidedAt }: { until: string; decidedAt: string }): number {
  return Date.parse(until) - Date.parse(decidedAt);
}

describe("a decision that is held", () => {
  it("is recorded at once and takes effect at the end of the time, by itself", async () => {
    const world = await keyed();
    const { harness, approval, effects, held, types } = world;
    const decided = await held(10_000);
    expect(decided).toMatchObject({
      status: 200,
      body: { status: "pending", decision: null, held: { type: "approve", decidedBy: "finance" } },
    });
    const { held: hold } = decided.body;
    expect(heldMs(hold)).toBeCloseTo(10_000, -3);
    expect(decided.body).toMatchObject({ mayDecide: false, yourDecisions: [] });
    await harness.clock.advance(5_000);
    await harness.engine.idle();
    expect(effects).toEqual([]);
    expect((await harness.runStatus(world.runId)).status).toBe("Running");
    await harness.clock.advance(5_000);
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "executed",
      held: null,
      decision: { type: "approve", decidedBy: "finance", decidedAt: hold.decidedAt },
    });
    expect(await types()).toEqual([
      "approval.proposed",
      "approval.announced",
      "approval.held",
      "approval.approved",
      "approval.executing",
      "approval.executed",
    ]);
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("can be taken back as long as the time lasts, and the call waits again", async () => {
    const world = await keyed();
    const { harness, approval, effects, held, takeBack, types } = world;
    await held(10_000);
    await harness.clock.advance(5_000);
    expect(await takeBack()).toMatchObject({
      status: 200,
      body: { status: "pending", held: null, mayDecide: true },
    });
    // The response may have got lost.
    expect(await takeBack()).toMatchObject({ status: 200, body: { status: "pending", held: null } });
    await harness.clock.advance("5m");
    await harness.engine.idle();
    expect((await harness.runStatus(world.runId)).status).toBe("Running");
    expect(effects).toEqual([]);
    expect((await harness.decide(approval, "deny", "lead", "Not this one")).status).toBe(200);
    await harness.ended(world.runId);
    expect(effects).toEqual([]);
    expect(await types()).toEqual([
      "approval.proposed",
      "approval.announced",
      "approval.held",
      "approval.taken_back",
      "approval.denied",
    ]);
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("can be approved again after it was taken back, and then runs once", async () => {
    const world = await keyed();
    const { harness, effects, held, takeBack } = world;
    await held(6_000);
    await takeBack();
    await held(6_000);
    await harness.clock.advance(8_000);
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("cannot be taken back once the time is over, nor by anybody else", async () => {
    const world = await plain();
    const { harness, approval, held, takeBack } = world;
    await held(6_000);
    expect(await takeBack("lead")).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect((await takeBack("requester")).status).toBe(403);
    expect((await takeBack("stranger")).status).toBe(404);
    await harness.clock.advance(8_000);
    await harness.ended(world.runId);
    expect(await takeBack()).toMatchObject({
      status: 409,
      body: { code: "too_late", approvalStatus: "executed" },
    });
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.filter(({ type }) => type === "taking_back.refused").map(({ actorId }) => actorId)).toEqual([
      "lead",
      "requester",
      "finance",
    ]);
  });

  it("is the decision that others lose to, until it is taken back", async () => {
    const world = await plain();
    const { harness, approval, held, takeBack } = world;
    const first = await held(6_000);
    expect(await held(6_000)).toEqual(first);
    expect(await harness.decide(approval, "deny", "lead")).toMatchObject({
      status: 409,
      body: { code: "already_decided", decidedBy: "finance", decision: "approve" },
    });
    expect((await held(6_000, { type: "deny" })).status).toBe(409);
    await takeBack();
    expect((await harness.decide(approval, "deny", "lead")).status).toBe(200);
    await harness.ended(world.runId);
    expect(world.effects).toEqual([]);
  });

  it("is a denial, an edit or an answer as well", async () => {
    const policy = definePolicy({
      tools: { refund: ask({ ...rule, editable: ["amount"], decisions: [...allTypes] }) },
    });
    await using desk = await openRefundDesk({ ...withKey, policy });
    const ways = [
      {
        decision: { type: "deny", reason: "Twice" },
        ends: { status: "denied", decision: { reason: "Twice" } },
        runs: [],
      },
      {
        decision: { type: "edit", input: { id: "A-2", amount: 70 } },
        ends: { status: "executed", editedInput: { id: "A-2", amount: 70 } },
        runs: [{ tool: "refund", input: { id: "A-2", amount: 70 } }],
      },
      {
        decision: { type: "respond", response: "Done by hand" },
        ends: { status: "responded", response: "Done by hand" },
        runs: [],
      },
    ];
    for (const { decision, ends, runs } of ways) {
      const { harness, approval, held, takeBack, effects, runId } = await refundOn(desk);
      await held(6_000, decision);
      expect(await takeBack()).toMatchObject({
        status: 200,
        body: { held: null, editedInput: null, response: null },
      });
      await held(6_000, decision);
      await harness.clock.advance(8_000);
      await harness.ended(runId);
      expect(await harness.approval(approval.id)).toMatchObject(ends);
      expect(effects).toEqual(runs);
    }
    expect(await desk.harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("is held no longer than the call's rules allow", async () => {
    const lengths = [
      [undefined, 10_000],
      ["3s", 3_000],
      ["1m", 60_000],
      [0, 0],
    ] as const;
    await using desk = await openRefundDesk({
      policy: definePolicy({
        tools: {
          refund: ({ input }) => {
            const [holdFor] = lengths[Number(input.amount)] ?? [];
            return ask({ ...rule, ...(holdFor === undefined ? {} : { holdFor }) });
          },
        },
      }),
    });
    for (const [amount, [, ms]] of lengths.slice(0, 3).entries()) {
      const world = await refundOn(desk, amount);
      expect(world.approval.maxHoldMs).toBe(ms);
      const { held } = (await world.held(60_000)).body;
      expect(heldMs(held)).toBeCloseTo(ms, -3);
    }
    const never = await refundOn(desk, 3);
    expect(never.approval.maxHoldMs).toBe(0);
    expect(await never.held(6_000)).toMatchObject({ status: 200, body: { status: "approved", held: null } });
    await never.harness.ended(never.runId);
    expect(never.effects).toHaveLength(1);
  });

  it("is refused for a length that makes no sense", async () => {
    const world = await plain();
    for (const ms of [-1, 1.5, 60_001, "6s"]) {
      expect(await world.held(ms)).toMatchObject({
        status: 400,
        body: { code: "invalid_request", errors: [{ field: "holdMs" }] },
      });
    }
    expect((await world.harness.approval(world.approval.id)).held).toBeNull();
  });
});

describe("what happens while a decision is held", () => {
  it("the deadline passes: the decision was in time", async () => {
    const world = await keyed();
    const { harness, approval, held } = world;
    await harness.clock.advance(29 * 60_000 + 55_000);
    await held(10_000);
    await harness.clock.advance(5_000);
    await harness.engine.idle();
    await harness.store.sweep();
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "pending",
      held: { type: "approve" },
    });
    await harness.clock.advance(10_000);
    await harness.ended(world.runId);
    expect(world.effects).toHaveLength(1);
  });

  it("the deadline passes and the decision is taken back: the call expires", async () => {
    const world = await plain();
    const { harness, held, takeBack } = world;
    await harness.clock.advance(29 * 60_000 + 55_000);
    await held(10_000);
    await harness.clock.advance(5_000);
    expect(await takeBack()).toMatchObject({ status: 200, body: { status: "expired", decision: null } });
    await harness.ended(world.runId);
    expect(world.effects).toEqual([]);
  });

  it("a stop is engaged: the call does not start", async () => {
    await using desk = await openRefundDesk();
    const world = await refundOn(desk);
    const { harness, approval, held } = world;
    await held(6_000);
    await stopCalls(harness.store);
    await harness.clock.advance(8_000);
    await harness.ended(world.runId);
    expect(world.effects).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "stopped",
    });
  });

  it("the run is cancelled: the call is withdrawn", async () => {
    const world = await plain();
    const { harness, approval, held, takeBack } = world;
    await held(6_000);
    await harness.store.withdrawRun(world.runId, "run_cancelled");
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "withdrawn",
      held: null,
      decision: null,
    });
    await harness.clock.advance(8_000);
    await harness.engine.idle();
    expect(await harness.approval(approval.id)).toMatchObject({ status: "withdrawn", decision: null });
    expect((await takeBack()).status).toBe(409);
    expect(world.effects).toEqual([]);
  });
});

describe("with write access to the database", () => {
  const decisions = ["approve", "deny"] as const;

  it("nobody brings back what was taken back", async () => {
    await using desk = await openRefundDesk(withKey);
    const { harness, database } = desk;
    for (const type of decisions) {
      const { approval, held, takeBack, effects, runId, types } = await refundOn(desk);
      await held(6_000, { type, reason: "Let the customer pay twice" });
      const [copy] = await database.admin`select held from countersign.approvals where id = ${approval.id}`;
      await takeBack();
      await database.admin`
        update countersign.approvals set held = ${database.admin.json(copy?.held)}, held_until = now()
        where id = ${approval.id}`;
      await harness.clock.advance("2m");
      await harness.store.sweep();
      await harness.ended(runId);
      expect(effects).toEqual([]);
      expect(await harness.approval(approval.id)).toMatchObject({ ...changed, held: null, decision: null });
      expect(await types()).not.toContain(type === "approve" ? "approval.approved" : "approval.denied");
      expect(JSON.stringify(harness.model.requests.at(-1)?.body)).not.toContain("pay twice");
    }
  });

  it.each([
    ["with a key", "approve", withKey],
    ["without a key", "deny", {}],
  ] as const)("nobody makes up a decision that takes effect (%s: %s)", async (_, type, options) => {
    await using desk = await openRefundDesk(options);
    const { approval, effects, runId, types } = await refundOn(desk);
    const { harness, database } = desk;
    const made = {
      ...{ type, decidedBy: "lead", roles: ["lead"], reason: null, responseJson: null, round: 1 },
      ...{ edited: null, evidence: null, decidedAt: new Date().toISOString() },
    };
    await database.admin`
      update countersign.approvals set held = ${database.admin.json(made)}, held_until = now()
      where id = ${approval.id}`;
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({
      ok: false,
      message: "By the log, no decision is held, by the call's row a decision of lead is held",
    });
    await harness.clock.advance("2m");
    await harness.store.sweep();
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject(changed);
    expect((await types()).slice(2)).toEqual(["approval.withdrawn"]);
  });

  it("nobody changes a decision that is held, or makes a row that stops others", async () => {
    await using desk = await openRefundDesk(withKey);
    const { harness, database } = desk;
    for (const change of [{ type: "approve" }, null, "nothing", "sooner"]) {
      const { approval, held, effects, runId } = await refundOn(desk);
      await held(6_000);
      const json = change === null ? null : database.admin.json(change);
      await (change === "sooner"
        ? database.admin`update countersign.approvals set held_until = now() where id = ${approval.id}`
        : database.admin`update countersign.approvals set held = ${json} where id = ${approval.id}`);
      await harness.clock.advance("2m");
      await harness.store.sweep();
      await harness.ended(runId);
      expect(effects).toEqual([]);
      expect(await harness.approval(approval.id)).toMatchObject(changed);
    }
  });

  it("nobody changes the time of a decision without a word in the check of the log", async () => {
    await using desk = await openRefundDesk();
    const world = await refundOn(desk);
    await world.held(6_000);
    await desk.database.admin`update countersign.approvals set held_until = held_until + interval '1 day'`;
    expect(await world.harness.countersign.verifyAudit("acme")).toMatchObject({
      ok: false,
      message: expect.stringContaining("by its row until another time"),
    });
  });

  it("nobody makes a decision disappear while it is held without a word in the check of the log", async () => {
    await using desk = await openRefundDesk();
    const world = await refundOn(desk);
    await world.held(10_000);
    await desk.database.admin`update countersign.approvals set held = null, held_until = null`;
    expect(await world.harness.countersign.verifyAudit("acme")).toMatchObject({
      ok: false,
      message: "By the log, a decision of finance is held, by the call's row no decision is held",
    });
  });
});

describe("a decision that was not checked, because another one was held,", () => {
  let between: (() => Promise<unknown>) | undefined;
  const unchecked = sharedDesk({
    policy: definePolicy({
      tools: {
        refund: ask({ ...rule, editable: ["amount"], decisions: [...allTypes], grantable: ["thread"] }),
      },
    }),
    between: (store) => ({
      ...store,
      decide: async (input, signer) => {
        await between?.();
        return store.decide(input, signer);
      },
    }),
  });

  it.each([
    ["an edit of a closed argument", { type: "edit", input: { id: "B-1", amount: 80 } }],
    ["an answer that is too long", { type: "respond", response: "x".repeat(2_000_000) }],
    [
      "a grant",
      { type: "approve", grant: { scope: "thread", arguments: { when: "amount < 1" }, expiresIn: "1h" } },
    ],
  ] as const)("decides nothing if that was taken back meanwhile: %s", async (_, { type, ...rest }) => {
    between = undefined;
    const { harness, approval, held, takeBack, input } = await unchecked();
    expect((await held(6_000, { type: "edit", input: { ...input, amount: 70 } })).status).toBe(200);
    between = takeBack;
    const refused = await held(0, { type, ...rest });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "not_open" });
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "pending",
      held: null,
      decision: null,
    });
  });
});

describe("a held vote", () => {
  const voted = sharedDesk({ ...withKey, policy: byTwo });

  it("completes the quorum at the end of its time, or leaves the other votes if it is taken back", async () => {
    const world = await voted();
    const { harness, approval, held, takeBack, effects } = world;
    // A vote that decides nothing needs no time.
    expect(await held(6_000)).toMatchObject({
      body: { status: "pending", held: null, votes: [{ principalId: "finance" }] },
    });
    expect(await held(6_000, { token: "lead" })).toMatchObject({ body: { held: { decidedBy: "lead" } } });
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
    expect(await takeBack("lead")).toMatchObject({
      body: {
        status: "pending",
        held: null,
        votes: [{ principalId: "finance" }],
        stillNeeded: { approvals: 1 },
      },
    });
    await held(6_000, { token: "lead" });
    await harness.clock.advance(8_000);
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "executed",
      votes: [{ principalId: "finance" }, { principalId: "lead" }],
    });
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("that decides nothing yet can be taken back as long as the call waits for others", async () => {
    const world = await voted();
    const { harness, approval, held, takeBack, effects } = world;
    await held(0);
    await harness.clock.advance("10m");
    expect(await takeBack()).toMatchObject({ body: { votes: [], stillNeeded: { approvals: 2 } } });
    expect((await harness.decide(approval, "approve", "lead")).body).toMatchObject({ status: "pending" });
    await harness.engine.idle();
    expect(effects).toEqual([]);
    expect((await harness.decide(approval, "approve", "finance")).body).toMatchObject({ status: "approved" });
    expect((await takeBack()).status).toBe(409);
    await harness.ended(world.runId);
    expect(effects).toHaveLength(1);
    expect(await harness.countersign.verifyAudit("acme")).toMatchObject({ ok: true });
  });
});
