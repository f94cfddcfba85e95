import { type Approval, ask, definePolicy, type Principal } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

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

/** One waiting call straight in a store on Postgres, decided by several people. */
async function openCall(terms: Partial<Approval["terms"]>, roles = ["finance", "lead"]) {
  const database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const [approval] = await proposeCall(store, { approvers: { roles, ids: [] }, terms });
  if (!approval) throw new Error("unreachable");
  const decide = (type: "approve" | "deny", person: Principal, reason: string | null = null) =>
    store.decide({ approvalId: approval.id, principal: person, type, digest: approval.digest, reason });
  const trail = async () => {
    const entries = await store.auditTrail("acme", approval.id);
    return entries.slice(2).map(({ type, actorId, data }) => [type, actorId, data.type ?? null]);
  };
  return { approval, store, decide, trail, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

const person = (id: string, ...roles: string[]): Principal => ({ id, tenantId: "acme", roles });

describe("a quorum of different roles", () => {
  it("is not reached by two people of one role, and says which role is missing", async () => {
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

  it("lets one person with two roles cover only one of them, whichever is wanted", async () => {
    await using call = await openCall({ quorum: 2, distinctRoles: true });
    expect(await call.decide("approve", person("both", "finance", "lead"))).toMatchObject({
      outcome: "voted",
    });
    expect(await call.decide("approve", person("ann", "finance"))).toMatchObject({ outcome: "decided" });
  });

  it("moves people between roles until as many as possible are covered", async () => {
    await using call = await openCall({ quorum: 3, distinctRoles: true }, ["a", "b", "c"]);
    expect(await call.decide("approve", person("x", "a", "b"))).toMatchObject({ outcome: "voted" });
    expect(await call.decide("approve", person("y", "a", "c"))).toMatchObject({ outcome: "voted" });
    expect(await call.decide("approve", person("z", "a"))).toMatchObject({ outcome: "decided" });
  });

  it("does not count two people of one role twice", async () => {
    await using call = await openCall({ quorum: 2, distinctRoles: true });
    for (const id of ["ann", "bob", "cid"]) {
      expect(await call.decide("approve", person(id, "finance"))).toMatchObject({ outcome: "voted" });
    }
    expect(await call.decide("approve", person("dee", "lead"))).toMatchObject({ outcome: "decided" });
  });
});

describe("votes", () => {
  it("need as many denials as the rule says, of different people", async () => {
    await using call = await openCall({ denials: 2 });
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

  it("can be changed while nothing is decided, and each person has one", async () => {
    await using call = await openCall({ quorum: 2, denials: 2 });
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

  it("end with a denial by somebody who had approved", async () => {
    await using call = await openCall({ quorum: 2 });
    const ann = person("ann", "finance");
    await call.decide("approve", ann);
    expect(await call.decide("deny", ann)).toMatchObject({
      outcome: "decided",
      approval: { status: "denied", votes: [{ principalId: "ann", type: "deny" }] },
    });
  });

  it("may be repeated after others made them the decision", async () => {
    await using call = await openCall({ quorum: 2 });
    await call.decide("approve", person("ann", "finance"));
    await call.decide("approve", person("bob", "lead"));
    expect(await call.decide("approve", person("ann", "finance"))).toMatchObject({ outcome: "repeated" });
    expect(await call.decide("approve", person("cid", "lead"))).toMatchObject({ outcome: "lost" });
  });

  it("of thirty people at once decide exactly once", async () => {
    for (let round = 0; round < 5; round++) {
      await using call = await openCall({ quorum: 3, denials: 3, distinctRoles: true }, ["a", "b", "c"]);
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          call.decide(n % 4 === 0 ? "deny" : "approve", person(`p${n}`, ["a", "b", "c"][n % 3] ?? "a")),
        ),
      );
      const outcomes = results.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "decided")).toHaveLength(1);
      expect(outcomes.every((outcome) => ["decided", "voted", "lost", "repeated"].includes(outcome))).toBe(
        true,
      );
      const told = (await call.trail()).map(([type]) => type);
      expect(told.filter((type) => type === "approval.approved" || type === "approval.denied")).toHaveLength(
        1,
      );
      const lost = outcomes.filter((outcome) => outcome === "lost");
      expect(told.filter((type) => type === "decision.refused")).toHaveLength(lost.length);
    }
  });
});
