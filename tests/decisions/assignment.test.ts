import { ask, definePolicy, type Principal } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const delegable = definePolicy({
  tools: {
    refund: ask({ approvers: { roles: ["finance"] }, delegable: true, requesterMayNotApprove: true }),
  },
});
const strict = definePolicy({ tools: { refund: ask({ approvers: { roles: ["finance"] } }) } });

async function open(policy = delegable) {
  const world = await openWaitingRefund({ policy });
  const { harness, approval } = world;
  const post = (token: string, path: string, body: unknown) =>
    harness.call(token, `/approvals/${approval.id}/${path}`, { method: "POST", body });
  return { ...world, post };
}

describe("an assignment", () => {
  it("lets the assignee see and decide the call if its rule permits delegation", async () => {
    await using world = await open();
    const { harness, approval, post } = world;
    expect((await harness.call("lead", `/approvals/${approval.id}`)).status).toBe(404);
    expect(await post("finance", "assign", { to: "lead" })).toMatchObject({
      status: 200,
      body: { assigneeId: "lead", status: "pending" },
    });
    expect((await harness.call("lead", `/approvals/${approval.id}`)).status).toBe(200);
    for (const [query, count] of [
      ["status=pending", 1],
      ["assignee=me", 1],
      ["assignee=lead", 1],
      ["assignee=finance", 0],
    ] as const) {
      expect((await harness.call("lead", `/approvals?${query}`)).body.items).toHaveLength(count);
    }
    expect((await harness.decide(approval, "approve", "lead")).status).toBe(200);
    await harness.ended(world.runId);
    expect(world.effects).toHaveLength(1);
    const trail = await harness.store.auditTrail("acme", approval.id);
    const assigned = trail.filter(({ type }) => type === "approval.assigned");
    expect(assigned).toMatchObject([{ actorId: "finance", data: { from: null, to: "lead" } }]);
  });

  it("gives the assignee no access if the rule does not permit delegation", async () => {
    await using world = await open(strict);
    const { harness, approval, post } = world;
    expect(await post("finance", "assign", { to: "lead" })).toMatchObject({
      status: 200,
      body: { assigneeId: "lead", delegable: false },
    });
    expect((await harness.call("lead", `/approvals/${approval.id}`)).status).toBe(404);
    expect((await harness.call("lead", "/approvals")).body.items).toEqual([]);
    expect((await harness.decide(approval, "approve", "lead")).status).toBe(404);
  });

  it("can be removed, and with it the assignee's right to decide", async () => {
    await using world = await open();
    const { harness, approval, post } = world;
    await post("finance", "assign", { to: "lead" });
    expect(await post("finance", "assign", { to: null })).toMatchObject({ body: { assigneeId: null } });
    expect((await harness.decide(approval, "approve", "lead")).status).toBe(404);
    const again = await post("finance", "assign", { to: null });
    expect(again.status).toBe(200);
    const trail = await harness.store.auditTrail("acme", approval.id);
    expect(trail.filter(({ type }) => type === "approval.assigned")).toHaveLength(2);
  });

  it("is refused by code and field if the assigner, the assignee or the status forbids it", async () => {
    await using world = await open();
    const { harness, approval, post } = world;
    expect(await post("finance", "assign", { to: "requester" })).toMatchObject({
      status: 403,
      body: { code: "self_approval", detail: expect.stringMatching(/^to: /) },
    });
    expect(await post("requester", "assign", { to: "lead" })).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
    expect((await post("stranger", "assign", { to: "lead" })).status).toBe(404);
    expect(await post("finance", "assign", { to: " " })).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ field: "to" }] },
    });
    await harness.decide(approval, "deny");
    expect(await post("finance", "assign", { to: "lead" })).toMatchObject({
      status: 409,
      body: { code: "already_decided", decidedBy: "finance" },
    });
  });
});

describe("a delegated call", () => {
  const person = (id: string, ...roles: string[]): Principal => ({ id, tenantId: "acme", roles });

  async function openCall(terms: object) {
    const database = await freshPostgres();
    const store = postgresStore({ client: database.postgres });
    await store.migrate();
    const [approval] = await proposeCall(store, {
      approvers: { roles: ["finance", "lead"], ids: [] },
      terms: { quorum: 2, delegable: true, ...terms },
    });
    if (!approval) throw new Error("unreachable");
    const approve = (principal: Principal) =>
      store.decide({
        approvalId: approval.id,
        principal,
        type: "approve",
        digest: approval.digest,
        reason: null,
      });
    const assign = (principal: Principal, to: string) =>
      store.assign({ approvalId: approval.id, principal, to });
    return { approve, assign, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  }

  it("counts a person and all their delegates as one vote of the quorum", async () => {
    await using call = await openCall({});
    const ann = person("ann", "finance");
    expect(await call.approve(ann)).toMatchObject({ outcome: "voted" });
    await call.assign(ann, "bob");
    expect(await call.approve(person("bob"))).toMatchObject({ outcome: "voted" });
    await call.assign(person("bob"), "cid");
    expect(await call.approve(person("cid"))).toMatchObject({
      outcome: "voted",
      approval: { votes: [{ onBehalfOf: null }, { onBehalfOf: "ann" }, { onBehalfOf: "ann" }] },
    });
    expect(await call.approve(person("dee", "lead"))).toMatchObject({ outcome: "decided" });
  });

  it("counts the delegate in place of the person who delegated it", async () => {
    await using call = await openCall({});
    await call.assign(person("ann", "finance"), "bob");
    await call.approve(person("bob"));
    expect(await call.approve(person("dee", "lead"))).toMatchObject({ outcome: "decided" });
  });

  it("does not let a delegate cover a role of the quorum", async () => {
    await using call = await openCall({ distinctRoles: true });
    await call.assign(person("ann", "finance"), "bob");
    await call.approve(person("bob"));
    expect(await call.approve(person("dee", "lead"))).toMatchObject({ outcome: "voted" });
    expect(await call.approve(person("ann", "finance"))).toMatchObject({ outcome: "decided" });
  });
});
