import { randomUUID } from "node:crypto";
import { ask, definePolicy } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, refund, requested } from "../support/mcp-server/agent-requests.js";
import { type McpWorld, openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";

let world: McpWorld;
beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("an approval of an external call", () => {
  it("is consumed once by concurrent attempts", async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, () => world.client("agent")));
    const [agent] = agents;
    if (!agent) throw new Error("No client");
    const { action, approvalId } = await requested(agent);
    await world.decide("finance", approvalId, "approve");
    const permits = await Promise.all(
      [...agents, ...agents].map((client) => call(client, "use_approval", { approvalId, ...action })),
    );
    expect(permits.map((permit) => structured(permit).go).filter(Boolean)).toHaveLength(1);
    expect((await world.trail(approvalId)).filter((type) => type === "approval.executing")).toHaveLength(1);
  });

  it("covers no other tool, arguments or digest, and a wrong attempt does not consume it", async () => {
    const agent = await world.client("agent");
    const { action, approvalId } = await requested(agent);
    await world.decide("finance", approvalId, "approve");
    const wrong = [
      { ...action, arguments: { ...action.arguments, amount: 8000 } },
      { ...action, arguments: { ...action.arguments, extra: true } },
      { ...action, tool: "lookup" },
      { ...action, digest: "0".repeat(64) },
    ];
    for (const other of wrong) {
      expect(await call(agent, "use_approval", { approvalId, ...other })).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "digest_mismatch" } },
      });
    }
    const { order, amount } = action.arguments;
    const reordered = { tool: action.tool, arguments: { amount, order } };
    expect(structured(await call(agent, "use_approval", { approvalId, ...reordered }))).toMatchObject({
      go: true,
    });
    const notes = await world.store.listAudit({ tenantId: "acme", limit: 500 });
    const refused = notes.filter(
      ({ type, data }) => type === "call.refused" && data.approvalId === approvalId,
    );
    expect(refused).toHaveLength(wrong.length);
  });

  it("is accessible only to the program that requested it", async () => {
    const agent = await world.client("agent");
    const { action, approvalId } = await requested(agent);
    await world.decide("finance", approvalId, "approve");
    for (const token of ["other-agent", "stranger"]) {
      const other = await world.client(token);
      for (const [tool, args] of [
        ["get_approval_outcome", { approvalId }],
        ["use_approval", { approvalId, ...action }],
        ["withdraw_approval_request", { approvalId }],
      ] as const) {
        expect(await call(other, tool, args)).toMatchObject({
          isError: true,
          structuredContent: { error: { code: "not_found" } },
        });
      }
    }
    expect(await world.store.getApproval("acme", approvalId)).toMatchObject({ status: "approved" });
  });

  it("cannot be decided by the program that requested it", async () => {
    const agent = await world.client("agent");
    const { approvalId } = await requested(agent, { ...refund(), tool: "email" });
    const own = await world.decide("agent", approvalId, "approve");
    expect([own.status, await own.json()]).toEqual([403, expect.objectContaining({ code: "self_approval" })]);
    expect((await world.decide("finance", approvalId, "approve")).status).toBe(200);
  });

  it("can be used once without a decision if the policy only notifies", async () => {
    const agent = await world.client("agent");
    const action = { tool: "page", arguments: { order: randomUUID(), amount: 1 } };
    const { approvalId, outcome } = await requested(agent, action);
    expect(outcome).toMatchObject({ status: "approved" });
    const uses = [1, 2].map(() => call(agent, "use_approval", { approvalId, ...action }));
    expect((await Promise.all(uses)).map((use) => structured(use).go).sort()).toEqual([false, true]);
  });

  it("cannot be used after the policy has become stricter", async () => {
    await using other = await openMcpWorld();
    const agent = await other.client("agent");
    const { approvalId, action } = await requested(agent);
    await other.decide("finance", approvalId, "approve");
    await using stricter = await openMcpWorld({
      database: other.database,
      countersign: { policy: definePolicy({ tools: { refund: ask({ approvers: { roles: ["board"] } }) } }) },
    });
    const late = await stricter.client("agent");
    expect(structured(await call(late, "use_approval", { approvalId, ...action }))).toMatchObject({
      go: false,
      refusal: { code: "approval_withdrawn" },
    });
  });

  it("cannot be used if its row was changed after the decision", async () => {
    const agent = await world.client("agent");
    const { approvalId, action } = await requested(agent);
    await world.decide("finance", approvalId, "approve");
    const forged = { ...action, arguments: { ...action.arguments, amount: 8000 } };
    await world.database
      .admin`update countersign.approvals set input_json = ${JSON.stringify(forged.arguments)} where id = ${approvalId}`;
    expect(structured(await call(agent, "use_approval", { approvalId, ...forged }))).toMatchObject({
      go: false,
      refusal: { code: "approval_withdrawn" },
    });
  });
});
