import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { openWaitingRefund } from "../support/waiting-refund.js";

const _refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const policy = definePolicy({
  tools: {
    refund: ask({ quorum: 2, approvers: { roles: ["finance", "lead"] }, requesterMayNotApprove: true }),
  },
});

const openRefund = () => openWaitingRefund({ policy });

describe("a quorum of two", () => {
  it("waits for the second person, and says how far it is", async () => {
    await using world = await openRefund();
    const { harness, approval } = world;
    expect(await harness.decide(approval, "approve", "finance")).toMatchObject({
      status: 200,
      body: { status: "pending", quorum: 2, votes: [{ principalId: "finance" }] },
    });
    await harness.engine.idle();
    expect((await harness.runStatus(world.runId)).status).toBe("Running");
    expect(world.effects).toEqual([]);
    expect(await harness.decide(approval, "approve", "lead")).toMatchObject({
      status: 200,
      body: { status: "approved", votes: [{ principalId: "finance" }, { principalId: "lead" }] },
    });
    await harness.ended(world.runId);
    expect(world.effects).toHaveLength(1);
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.map(({ type, actorId }) => [type, actorId]).slice(1, 4)).toEqual([
      ["approval.announced", null],
      ["approval.voted", "finance"],
      ["approval.approved", "lead"],
    ]);
  });

  it("does not count the same person twice", async () => {
    await using world = await openRefund();
    const { harness, approval } = world;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => harness.decide(approval, "approve", "finance")),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "pending",
      votes: [{ principalId: "finance" }],
    });
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.filter(({ type }) => type === "approval.voted")).toHaveLength(1);
  });

  it("ends with one denial, also after a vote", async () => {
    await using world = await openRefund();
    const { harness, approval } = world;
    await harness.decide(approval, "approve", "finance");
    expect(await harness.decide(approval, "deny", "lead")).toMatchObject({
      status: 200,
      body: { status: "denied" },
    });
    await harness.ended(world.runId);
    expect(world.effects).toEqual([]);
    expect(await harness.decide(approval, "approve", "finance")).toMatchObject({
      status: 409,
      body: { decidedBy: "lead" },
    });
  });

  it("expires with the votes that it has", async () => {
    await using world = await openRefund();
    const { harness, approval } = world;
    await harness.decide(approval, "approve", "finance");
    await harness.clock.advance("31m");
    await harness.ended(world.runId);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "expired",
      votes: [{ principalId: "finance" }],
    });
    expect(world.effects).toEqual([]);
    expect((await harness.decide(approval, "approve", "lead")).status).toBe(410);
  });

  it("is reached exactly once when both press at the same time", async () => {
    for (let round = 0; round < 5; round++) {
      await using world = await openRefund();
      const { harness, approval } = world;
      const answers = await Promise.all(
        ["finance", "lead"].map((person) => harness.decide(approval, "approve", person)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      await harness.ended(world.runId);
      expect(world.effects).toHaveLength(1);
    }
  });
});
