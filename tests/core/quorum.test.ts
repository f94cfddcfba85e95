import { type Approval, ask, definePolicy, type Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";
import { openRefundDesk, openWaitingRefund, type RefundDesk } from "../support/waiting-refund.js";

const policy = definePolicy({
  tools: {
    refund: ask({ quorum: 2, approvers: { roles: ["finance", "lead"] }, requesterMayNotApprove: true }),
  },
});

describe("a quorum of two", () => {
  let desk: RefundDesk;

  beforeAll(async () => {
    desk = await openRefundDesk({ policy });
  });

  afterAll(() => desk[Symbol.asyncDispose]());

  it("waits for the second approver and lists the votes so far", async () => {
    const world = await desk.refund();
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
    const world = await desk.refund();
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

  it("is ended by one denial, also after a vote to approve", async () => {
    const world = await desk.refund();
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

  it("expires with the votes cast so far", async () => {
    const world = await desk.refund();
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

  it("is reached exactly once if both people approve at the same time", async () => {
    const world = await desk.refund();
    const { harness, approval } = world;
    const answers = await Promise.all(
      ["finance", "lead"].map((person) => harness.decide(approval, "approve", person)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await harness.ended(world.runId);
    expect(world.effects).toHaveLength(1);
  });
});

let database: Awaited<ReturnType<typeof freshPostgres>>;
let store: Store;

beforeAll(async () => {
  database = await freshPostgres();
  store = postgresStore({ client: database.postgres });
});

afterAll(() => database[Symbol.asyncDispose]());

/** A pending call, written straight into the store, for several people to decide. */
async function openCall(terms: Partial<Approval["terms"]>, roles = ["finance", "lead"]) {
  const [approval] = await proposeCall(store, { approvers: { roles, ids: [] }, terms });
  if (!approval) throw new Error("unreachable");
  const decide = (type: "approve" | "deny", person: Principal, reason: string | null = null) =>
    store.decide({ approvalId: approval.id, principal: person, type, digest: approval.digest, reason });
  const trail = async () => {
    const entries = await store.auditTrail("acme", approval.id);
    return entries.slice(2).map(({ type, actorId, data }) => [type, actorId, data.type ?? null]);
  };
  return { decide, trail };
}

const person = (id: string, ...roles: string[]): Principal => ({ id, tenantId: "acme", roles });

describe("a quorum of different roles", () => {
  it("lists the roles whose approval is still needed", async () => {
    await using world = await openWaitingRefund({
      policy: definePolicy({
        tools: {
          refund: ask({ quorum: 2, distinctRoles: true, approvers: { roles: ["finance", "lead"] } }),
        },
      }),
    });
    const { harness, approval } = world;
    expect(approval.stillNeeded).toEqual({ approvals: 2, roles: ["finance", "lead"] });
    expect((await harness.decide(approval, "approve", "finance")).body).toMatchObject({
      status: "pending",
      distinctRoles: true,
      votes: [{ principalId: "finance", type: "approve", roles: ["finance"] }],
      stillNeeded: { approvals: 1, roles: ["lead"] },
    });
    expect((await harness.decide(approval, "approve", "lead")).body).toMatchObject({
      status: "approved",
      stillNeeded: { approvals: 0, roles: [] },
    });
    await harness.ended(world.runId);
    expect(world.effects).toHaveLength(1);
  });

  it("lets a person with two roles cover either of them, but only one", async () => {
    const call = await openCall({ quorum: 2, distinctRoles: true });
    expect(await call.decide("approve", person("both", "finance", "lead"))).toMatchObject({
      outcome: "voted",
    });
    expect(await call.decide("approve", person("ann", "finance"))).toMatchObject({ outcome: "decided" });
  });

  it("assigns people to roles so that as many roles as possible are covered", async () => {
    const call = await openCall({ quorum: 3, distinctRoles: true }, ["a", "b", "c"]);
    expect(await call.decide("approve", person("x", "a", "b"))).toMatchObject({ outcome: "voted" });
    expect(await call.decide("approve", person("y", "a", "c"))).toMatchObject({ outcome: "voted" });
    expect(await call.decide("approve", person("z", "a"))).toMatchObject({ outcome: "decided" });
  });

  it("counts several people of one role only once", async () => {
    const call = await openCall({ quorum: 2, distinctRoles: true });
    for (const id of ["ann", "bob", "cid"]) {
      expect(await call.decide("approve", person(id, "finance"))).toMatchObject({ outcome: "voted" });
    }
    expect(await call.decide("approve", person("dee", "lead"))).toMatchObject({ outcome: "decided" });
  });
});

describe("votes", () => {
  it("deny a call once as many different people have denied it as the rule says", async () => {
    const call = await openCall({ denials: 2 });
    const ann = person("ann", "finance");
    expect(await call.decide("deny", ann)).toMatchObject({ outcome: "voted" });
    expect(await call.decide("deny", ann)).toMatchObject({ outcome: "repeated" });
    expect(await call.decide("deny", person("bob", "lead"))).toMatchObject({
      outcome: "decided",
      approval: { status: "denied", votes: [{ type: "deny" }, { type: "deny" }] },
    });
    expect(await call.trail()).toEqual([
      ["approval.voted", "ann", "deny"],
      ["approval.denied", "bob", null],
    ]);
  });

  it("can be changed until the decision, and each person has one", async () => {
    const call = await openCall({ quorum: 2, denials: 2 });
    const ann = person("ann", "finance");
    await call.decide("approve", ann);
    expect(await call.decide("deny", ann, "Looked again")).toMatchObject({
      outcome: "voted",
      approval: { votes: [{ principalId: "ann", type: "deny", reason: "Looked again" }] },
    });
    expect(await call.decide("approve", person("bob", "lead"))).toMatchObject({ outcome: "voted" });
    expect(await call.decide("approve", ann)).toMatchObject({ outcome: "decided" });
    expect(await call.trail()).toEqual([
      ["approval.voted", "ann", "approve"],
      ["approval.voted", "ann", "deny"],
      ["approval.voted", "bob", "approve"],
      ["approval.approved", "ann", null],
    ]);
  });

  it("deny a call if an approver changes their vote to a denial", async () => {
    const call = await openCall({ quorum: 2 });
    const ann = person("ann", "finance");
    await call.decide("approve", ann);
    expect(await call.decide("deny", ann)).toMatchObject({
      outcome: "decided",
      approval: { status: "denied", votes: [{ principalId: "ann", type: "deny" }] },
    });
  });

  it("may be repeated after the decision, while new ones are refused", async () => {
    const call = await openCall({ quorum: 2 });
    await call.decide("approve", person("ann", "finance"));
    await call.decide("approve", person("bob", "lead"));
    expect(await call.decide("approve", person("ann", "finance"))).toMatchObject({ outcome: "repeated" });
    expect(await call.decide("approve", person("cid", "lead"))).toMatchObject({ outcome: "already_decided" });
  });

  it("of thirty people at once make exactly one decision", async () => {
    for (let round = 0; round < 5; round++) {
      const call = await openCall({ quorum: 3, denials: 3, distinctRoles: true }, ["a", "b", "c"]);
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          call.decide(n % 4 === 0 ? "deny" : "approve", person(`p${n}`, ["a", "b", "c"][n % 3] ?? "a")),
        ),
      );
      const outcomes = results.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "decided")).toHaveLength(1);
      expect(
        outcomes.every((outcome) => ["decided", "voted", "already_decided", "repeated"].includes(outcome)),
      ).toBe(true);
      const types = (await call.trail()).map(([type]) => type);
      expect(types.filter((type) => type === "approval.approved" || type === "approval.denied")).toHaveLength(
        1,
      );
      const lost = outcomes.filter((outcome) => outcome === "already_decided");
      expect(types.filter((type) => type === "decision.refused")).toHaveLength(lost.length);
    }
  });
});
