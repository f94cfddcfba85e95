import { randomUUID } from "node:crypto";
import { definePolicy, deny, notify } from "countersign";
import { describe, expect, it } from "vitest";
import { call, requested } from "../support/mcp-server/agent-requests.js";
import { openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";

describe("a program that requests approvals", () => {
  it("gets the same approval whenever it repeats a request with its key", async () => {
    await using world = await openMcpWorld();
    const agent = await world.client("agent");
    const { action, approvalId } = await requested(agent);
    const again = async () =>
      structured(await call(agent, "request_approval", { ...action, key: "nightly refund" }));
    expect(await again()).toMatchObject({ status: "pending", approvalId });
    expect(await again()).toMatchObject({ status: "pending", approvalId });
    await world.decide("finance", approvalId, "approve");
    expect(await again()).toMatchObject({ status: "approved", approvalId });
    expect(structured(await call(agent, "use_approval", { approvalId, ...action }))).toMatchObject({
      go: true,
    });
    expect(await again()).toMatchObject({ status: "used", approvalId });
  });

  it("gets not_found for an id with a NUL character", async () => {
    await using world = await openMcpWorld();
    const agent = await world.client("agent");
    const approvalId = "apr_\0";
    for (const tool of ["get_approval", "get_approval_outcome", "withdraw_approval_request"]) {
      expect(await call(agent, tool, { approvalId })).toMatchObject({
        structuredContent: { error: { code: "not_found" } },
      });
    }
    await expect(agent.readResource({ uri: "countersign://approvals/apr_%00" })).rejects.toThrow(
      /not found/i,
    );
  });

  it("is refused for an hour after several denials in a row", async () => {
    await using world = await openMcpWorld({ countersign: { limits: { denialsInARow: 2 } } });
    const agent = await world.client("agent");
    const other = await world.client("other-agent");
    for (const _ of [1, 2]) {
      await world.decide("finance", (await requested(agent)).approvalId, "deny");
    }
    expect((await requested(agent)).outcome).toMatchObject({
      status: "refused",
      refusal: { code: "too_many_denials", message: expect.stringContaining("program") },
    });
    expect((await requested(other)).outcome).toMatchObject({ status: "pending" });
    await world.database
      .admin`update countersign.approvals set decided_at = decided_at - interval '61 minutes'`;
    expect((await requested(agent)).outcome).toMatchObject({ status: "pending" });
  });

  it("cannot flood people by withdrawing its calls and requesting further ones", async () => {
    await using world = await openMcpWorld({ countersign: { limits: { pendingPerThread: 3 } } });
    const agent = await world.client("agent");
    for (const _ of [1, 2, 3]) {
      const { approvalId } = await requested(agent);
      await call(agent, "withdraw_approval_request", { approvalId });
    }
    expect((await requested(agent)).outcome).toMatchObject({
      status: "refused",
      refusal: { code: "too_many_pending" },
    });
    await world.database
      .admin`update countersign.approvals set finished_at = finished_at - interval '61 minutes'`;
    expect((await requested(agent)).outcome).toMatchObject({ status: "pending" });
  });
});

describe("a program that lost a role after its request", () => {
  it("cannot use an approval for a call that the policy now denies", async () => {
    const policy = definePolicy({
      tools: { page: ({ principal }) => (principal?.roles.includes("trusted") ? notify() : deny()) },
    });
    await using world = await openMcpWorld({ countersign: { policy } });
    const { externalCalls } = world.countersign;
    const call = { toolName: "page", input: { order: randomUUID() } };
    const trusted = { id: "agent", tenantId: "acme", roles: ["agent", "trusted"] };
    const asked = await externalCalls.request({ ...call, principal: trusted });
    const approvalId = "approvalId" in asked ? String(asked.approvalId) : "";
    expect(
      await externalCalls.use({ ...call, approvalId, principal: { ...trusted, roles: ["agent"] } }),
    ).toMatchObject({ go: false, outcome: { refusal: { code: "approval_withdrawn" } } });
  });
});
