import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, refund, requested } from "../support/mcp-server/agent-requests.js";
import { type McpWorld, openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";
import { releaseCalls, stopCalls } from "../support/stops.js";

let world: McpWorld;
beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.each([
  ["2026", (token: string) => world.client(token)],
  ["2025", (token: string) => world.earlierClient(token)],
] as const)("an agent with a client of %s", (_, connect) => {
  it("is allowed or refused at once if the policy decides without a person", async () => {
    const agent = await connect("agent");
    const allowed = await call(agent, "request_approval", { tool: "lookup", arguments: { order: "A" } });
    expect(structured(allowed)).toEqual({ status: "allowed" });
    const denied = await call(agent, "request_approval", { tool: "erase", arguments: { order: "A" } });
    expect(structured(denied)).toMatchObject({ status: "refused", refusal: { code: "denied_by_policy" } });
  });

  it("requests an approval, waits for the decision, and uses the approval once", async () => {
    const agent = await connect("agent");
    const { action, approvalId, outcome } = await requested(agent);
    expect(outcome).toMatchObject({ status: "pending", digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(structured(await call(agent, "use_approval", { approvalId, ...action }))).toMatchObject({
      go: false,
      status: "pending",
    });
    const waiting = call(agent, "get_approval_outcome", { approvalId, waitSeconds: 30 });
    await world.decide("finance", approvalId, "approve");
    expect(structured(await waiting)).toMatchObject({ status: "approved", approvalId });

    const used = structured(await call(agent, "use_approval", { approvalId, ...action }));
    expect(used).toMatchObject({ go: true, approvalId, evidence: expect.stringContaining(".") });
    const again = structured(await call(agent, "use_approval", { approvalId, ...action }));
    expect(again).toMatchObject({ go: false, status: "used" });
    expect(await world.trail(approvalId)).toEqual([
      "approval.proposed",
      "approval.announced",
      "approval.approved",
      "approval.executing",
      "approval.executed",
    ]);
  });
});

describe("an agent that waits for the outcome", () => {
  it("is told that it still waits, so that its client does not give up", async () => {
    await using own = await openMcpWorld({ server: { heartbeatMs: 10 } });
    const [agent, earlierAgent] = [await own.client("agent"), await own.earlierClient("agent")];
    const wait = (approvalId: string) => ({
      name: "get_approval_outcome",
      arguments: { approvalId, waitSeconds: 50 },
    });
    for (const send of [
      (id: string, onprogress: () => void) => agent.callTool(wait(id), { onprogress }),
      (id: string, onprogress: () => void) => earlierAgent.callTool(wait(id), undefined, { onprogress }),
    ]) {
      const { approvalId } = await requested(agent);
      let reports = 0;
      const outcome = await send(approvalId, () => {
        reports += 1;
        if (reports === 3) void own.decide("finance", approvalId, "approve");
      });
      expect(structured(outcome)).toMatchObject({ status: "approved" });
    }
  });
});

describe("a requested call", () => {
  it("is refused with the person's reason after a denial", async () => {
    const agent = await world.client("agent");
    const { action, approvalId } = await requested(agent);
    await world.decide("finance", approvalId, "deny", "The order was cancelled");
    const refusal = {
      code: "denied_by_person",
      message: expect.stringContaining("Their reason: The order was cancelled."),
    };
    const outcome = await call(agent, "get_approval_outcome", { approvalId });
    expect(structured(outcome)).toMatchObject({ status: "refused", refusal });
    expect(outcome).toMatchObject({ content: [{ text: refusal.message }, expect.anything()] });
    const permit = await call(agent, "use_approval", { approvalId, ...action });
    expect(structured(permit)).toMatchObject({ go: false, status: "refused", refusal });
  });

  it("is compared with rules and stops without the white space around its tool", async () => {
    const agent = await world.client("agent");
    const stop = await stopCalls(world.store, "refund");
    const stopped = await call(agent, "request_approval", { ...refund(), tool: "refund " });
    expect(structured(stopped)).toMatchObject({ status: "refused", refusal: { code: "stopped" } });
    await releaseCalls(world.store, stop);
    const { action, approvalId } = await requested(agent, { ...refund(), tool: " refund\n" });
    await world.decide("finance", approvalId, "approve");
    const used = structured(await call(agent, "use_approval", { approvalId, ...action }));
    expect(used).toMatchObject({ go: true, approvalId });
  });

  it("is joined by an equal request, and its key is refused for another call", async () => {
    const agent = await world.client("agent");
    const { action, approvalId } = await requested(agent);
    expect((await requested(agent, action)).approvalId).toBe(approvalId);
    const key = randomUUID();
    const first = structured(await call(agent, "request_approval", { ...refund(), key }));
    expect(
      await call(agent, "request_approval", { tool: "refund", arguments: { order: "other" }, key }),
    ).toMatchObject({ isError: true, structuredContent: { error: { code: "approval_id_taken" } } });
    expect(first).toMatchObject({ status: "pending" });
    await world.decide("finance", approvalId, "deny");
    await world.decide("finance", String(first.approvalId), "deny");
  });

  it("expires when its agent asks for the outcome after the deadline", async () => {
    await using brief = await openMcpWorld({ countersign: { timeout: "1s" } });
    const agent = await brief.client("agent");
    const { approvalId, action } = await requested(agent);
    const expired = async () =>
      structured(await call(agent, "get_approval_outcome", { approvalId, waitSeconds: 1 }));
    await expect.poll(expired, { timeout: 20_000 }).toMatchObject({
      status: "refused",
      refusal: { code: "approval_expired" },
    });
    expect((await brief.decide("finance", approvalId, "approve")).status).toBe(410);
    expect(structured(await call(agent, "use_approval", { approvalId, ...action }))).toMatchObject({
      go: false,
    });
  });

  it("expires if it is not used within a day of its approval", async () => {
    const agent = await world.client("agent");
    const { approvalId, action } = await requested(agent);
    await world.decide("finance", approvalId, "approve");
    await world.database
      .admin`update countersign.approvals set decided_at = decided_at - interval '25 hours' where id = ${approvalId}`;
    await world.store.sweep();
    expect(structured(await call(agent, "use_approval", { approvalId, ...action }))).toMatchObject({
      go: false,
      refusal: { code: "approval_expired" },
    });
  });

  it("can be withdrawn by its agent, and cannot be decided afterwards", async () => {
    const agent = await world.client("agent");
    const { approvalId } = await requested(agent);
    const withdrawn = structured(await call(agent, "withdraw_approval_request", { approvalId }));
    expect(withdrawn).toMatchObject({ status: "refused", refusal: { code: "approval_withdrawn" } });
    expect((await world.decide("finance", approvalId, "approve")).status).toBe(409);
  });

  it("returns the result that a person supplied", async () => {
    const agent = await world.client("agent");
    const action = { tool: "ship", arguments: { order: randomUUID() } };
    const { approvalId } = await requested(agent, action);
    const { digest } = await world.show("finance", approvalId);
    await world.countersign.decide({
      approvalId,
      principal: { id: "finance", tenantId: "acme", roles: ["finance"] },
      type: "respond",
      digest: String(digest),
      reason: null,
      responseJson: JSON.stringify({ parcel: 7 }),
    });
    expect(structured(await call(agent, "get_approval_outcome", { approvalId }))).toMatchObject({
      status: "responded",
      result: { parcel: 7 },
    });
  });
});

describe("the tools for agents", () => {
  it("exist only for principals with a role that may request", async () => {
    const names = async (token: string) =>
      (await (await world.client(token)).listTools()).tools.map(({ name }) => name);
    expect(await names("agent")).toContain("request_approval");
    expect(await names("finance")).not.toContain("request_approval");
    const finance = await world.client("finance");
    await expect(call(finance, "request_approval", refund())).rejects.toThrow(/request_approval/);
  });

  it("limit the number of pending calls of one agent", async () => {
    await using small = await openMcpWorld({ countersign: { limits: { pendingPerThread: 2 } } });
    const agent = await small.client("agent");
    await requested(agent);
    await requested(agent);
    expect((await requested(agent)).outcome).toMatchObject({
      status: "refused",
      refusal: { code: "too_many_pending" },
    });
    expect((await requested(await small.client("other-agent"))).outcome).toMatchObject({ status: "pending" });
  });

  it("refuse the tool name request_human_input and arguments that cannot be stored", async () => {
    const agent = await world.client("agent");
    for (const action of [
      { tool: "request_human_input", arguments: { message: "Your password?" } },
      { tool: "refund", arguments: { note: "\ud800" } },
    ]) {
      expect(await call(agent, "request_approval", action)).toMatchObject({ isError: true });
    }
  });
});
