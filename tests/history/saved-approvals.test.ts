import type { Countersign } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { proposeCall } from "../support/proposals.js";

let world: Awaited<ReturnType<typeof openApiWorld>>;
let history: Countersign["history"];

beforeAll(async () => {
  world = await openApiWorld();
  history = world.countersign.history;
});
afterAll(() => world[Symbol.asyncDispose]());

let saved = 0;

/** The details of an approval that a host's own orchestrator saves; each call returns different ones. */
function details() {
  saved += 1;
  const createdAt = new Date();
  return {
    approvalId: `a${saved}`,
    threadId: `thread-${saved}`,
    eventIdToWaitFor: `approval-a${saved}`,
    toolName: "send_email",
    toolInput: { to: `customer-${saved}`, body: "Hello" },
    toolCallId: "call-1",
    status: "pending" as const,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 600_000),
  };
}

const resolve = (approvalId: string, more: object = {}) =>
  history.resolvePendingApproval({
    approvalId,
    status: "approved",
    resolvedAt: new Date(),
    resolvedBy: "finance",
    ...more,
  });

describe("a saved approval", () => {
  it("keeps the event that its host waits for, in the history and in the API", async () => {
    const approval = details();
    await history.savePendingApproval(approval);
    const listed = await history.listPendingApprovals({ threadId: approval.threadId });
    expect(listed).toMatchObject([{ eventIdToWaitFor: approval.eventIdToWaitFor }]);
    const answer = await world.request("finance", `/approvals/pending?threadId=${approval.threadId}`);
    expect(await answer.json()).toMatchObject([{ eventIdToWaitFor: approval.eventIdToWaitFor }]);
    await resolve(approval.approvalId);
    const approved = await history.listPendingApprovals({ threadId: approval.threadId, status: "approved" });
    expect(approved).toMatchObject([{ eventIdToWaitFor: approval.eventIdToWaitFor }]);
  });

  it("names the request as its event if it belongs to an agent's own call", async () => {
    const [call] = await proposeCall(world.store, { threadId: "own-call" });
    const listed = await history.listPendingApprovals({ threadId: "own-call" });
    expect(listed).toMatchObject([{ approvalId: call?.id, eventIdToWaitFor: call?.requestId }]);
  });

  it("is found by its user or by the owner of its thread", async () => {
    const forUser = { ...details(), userId: "ada" };
    await history.savePendingApproval(forUser);
    expect(await history.listPendingApprovals({ userId: "ada" })).toMatchObject([
      { approvalId: forUser.approvalId },
    ]);
    const owner = { id: "grace", tenantId: "acme", roles: [] };
    const { threadId } = await world.countersign.threads.open({ owner });
    const inThread = { ...details(), threadId };
    await history.savePendingApproval(inThread);
    expect(await history.listPendingApprovals({ userId: "grace" })).toMatchObject([
      { approvalId: inThread.approvalId },
    ]);
    expect(await history.listPendingApprovals({ userId: "nobody" })).toEqual([]);
  });

  it.each([
    ["another tool", { toolName: "delete_everything" }],
    ["other arguments", { toolInput: { to: "attacker", body: "Hello" } }],
    ["another thread", { threadId: "elsewhere" }],
    ["another call of the model", { toolCallId: "call-2" }],
    ["another event", { eventIdToWaitFor: "approval-other" }],
  ])("is not overwritten by %s under its id", async (_what, change) => {
    const approval = details();
    await history.savePendingApproval(approval);
    await expect(history.savePendingApproval({ ...approval, ...change })).rejects.toMatchObject({
      code: "approval_id_taken",
      message: expect.stringContaining("approvalId"),
    });
    const { threadId, toolInput } = approval;
    expect(await history.listPendingApprovals({ threadId })).toMatchObject([{ toolInput }]);
  });

  it("may be saved again, before and after its decision, with its arguments in any order", async () => {
    const approval = details();
    await history.savePendingApproval(approval);
    const { to, body } = approval.toolInput;
    await history.savePendingApproval({ ...approval, toolInput: { body, to }, createdAt: new Date() });
    await resolve(approval.approvalId);
    await history.savePendingApproval(approval);
    const { threadId } = approval;
    expect(await history.listPendingApprovals({ threadId, status: "approved" })).toHaveLength(1);
    expect(await history.listPendingApprovals({ threadId })).toEqual([]);
  });

  it("cannot take the id of an agent's own call", async () => {
    const [call] = await proposeCall(world.store);
    const taken = history.savePendingApproval({ ...details(), approvalId: call?.id ?? "" });
    await expect(taken).rejects.toMatchObject({ code: "approval_id_taken" });
  });
});

describe("a saved approval of another tenant than the instance's", () => {
  it("is saved, listed and resolved in its tenant, and in no other", async () => {
    const approval = { ...details(), tenantId: "bolt" };
    const { approvalId, threadId } = approval;
    await history.savePendingApproval(approval);
    expect(await history.listPendingApprovals({ threadId })).toEqual([]);
    expect(await history.listPendingApprovals({ threadId, tenantId: "bolt" })).toMatchObject([
      { approvalId },
    ]);
    await expect(resolve(approvalId)).rejects.toMatchObject({ code: "not_found" });
    await resolve(approvalId, { tenantId: "bolt" });
    expect(await world.store.getApproval("bolt", approvalId)).toMatchObject({
      status: "approved",
      decision: { decidedBy: "finance" },
    });
  });

  it("cannot take the id of an approval of the instance's tenant", async () => {
    const approval = details();
    await history.savePendingApproval(approval);
    const other = history.savePendingApproval({ ...approval, tenantId: "bolt" });
    await expect(other).rejects.toMatchObject({ code: "approval_id_taken" });
  });
});

describe("an invalid field", () => {
  it.each([
    ["status", { status: "maybe" }],
    ["status", { status: "pending" }],
    ["roles", { roles: "finance" }],
    ["resolvedBy", { resolvedBy: 7 }],
    ["approvalId", { approvalId: "" }],
  ])("is refused by name when an approval is resolved: %s %o", async (field, change) => {
    const approval = details();
    await history.savePendingApproval(approval);
    await expect(resolve(approval.approvalId, change)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(field),
    });
    expect((await world.store.getApproval("acme", approval.approvalId))?.status).toBe("pending");
  });

  it.each([
    ["status", { status: "maybe" }],
    ["userId", { userId: 7 }],
    ["threadId", { threadId: "a\0b" }],
  ])("is refused by name when approvals are listed: %s", async (field, filters) => {
    await expect(history.listPendingApprovals(filters as never)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(field),
    });
  });

  it.each([
    ["toolCallId", { toolCallId: "a\ud800" }],
    ["userId", { userId: "" }],
    ["expiresAt", { expiresAt: "soon" }],
    ["toolInput", { toolInput: ["a list"] }],
  ])("is refused by name when an approval is saved: %s", async (field, change) => {
    await expect(history.savePendingApproval({ ...details(), ...change } as never)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(field),
    });
  });
});
