import type { Countersign } from "countersign/agent-kit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
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

/** A saved approval; `seconds` is the time to decide. */
async function savedApproval(seconds = 600) {
  const approval = details();
  const expiresAt = new Date(approval.createdAt.getTime() + seconds * 1000);
  await history.savePendingApproval({ ...approval, expiresAt });
  return approval;
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

  it("cannot be extended, because its host does not wait longer", async () => {
    const { approvalId } = await savedApproval();
    const body = JSON.stringify({ by: "10m" });
    const answer = await world.request("finance", `/approvals/${approvalId}/extend`, {
      method: "POST",
      body,
    });
    expect([answer.status, await answer.json()]).toMatchObject([409, { code: "no_extension_left" }]);
  });

  it("cannot take the id of an agent's own call", async () => {
    const [call] = await proposeCall(world.store);
    const taken = history.savePendingApproval({ ...details(), approvalId: call?.id ?? "" });
    await expect(taken).rejects.toMatchObject({ code: "approval_id_taken" });
  });
});

describe("the resolution of a saved approval", () => {
  const decideInInbox = async (approvalId: string, type: "approve" | "deny") => {
    const approval = await world.store.getApproval("acme", approvalId);
    const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
    const { digest = "" } = approval ?? {};
    return world.countersign.decide({ approvalId, principal, type, digest, reason: "I have looked" });
  };
  const trailOf = (approvalId: string) => world.store.auditTrail("acme", approvalId);

  it.each([
    ["approve", "approved"],
    ["deny", "denied"],
  ] as const)("repeats what the same person has decided in the inbox: %s", async (type, status) => {
    const { approvalId } = await savedApproval();
    await decideInInbox(approvalId, type);
    const before = await trailOf(approvalId);
    await resolve(approvalId, { status });
    await resolve(approvalId, { status, resolvedBy: undefined });
    expect(await trailOf(approvalId)).toEqual(before);
    expect((await world.store.getApproval("acme", approvalId))?.decision?.reason).toBe("I have looked");
    const other = status === "approved" ? "denied" : "approved";
    const refused = { code: "already_decided" };
    await expect(resolve(approvalId, { status: other })).rejects.toMatchObject(refused);
    await expect(resolve(approvalId, { status: other, resolvedBy: null })).rejects.toMatchObject(refused);
    await expect(resolve(approvalId, { status, resolvedBy: "lead" })).rejects.toMatchObject(refused);
  });

  it.each([undefined, null, ""])("decides nothing without a person: %j", async (resolvedBy) => {
    const { approvalId } = await savedApproval();
    for (const status of ["approved", "denied"]) {
      await expect(resolve(approvalId, { status, resolvedBy })).rejects.toMatchObject({
        code: "unauthenticated",
        message: expect.stringContaining("resolvedBy"),
      });
    }
    expect((await world.store.getApproval("acme", approvalId))?.status).toBe("pending");
  });

  it("as denied needs no person once the approval has expired, and expires one that is overdue", async () => {
    const { approvalId } = await savedApproval();
    const { postgres } = world.database;
    await postgres.begin(async (sql) => {
      await sql`set local countersign.all_tenants = 'on'`;
      await sql`update countersign.approvals set expires_at = now() - interval '1 second' where id = ${approvalId}`;
    });
    for (const resolvedBy of [undefined, null]) await resolve(approvalId, { status: "denied", resolvedBy });
    expect(await world.store.getApproval("acme", approvalId)).toMatchObject({
      status: "expired",
      decision: null,
    });
    for (const change of [{ resolvedBy: undefined }, {}, { status: "denied" }]) {
      await expect(resolve(approvalId, change)).rejects.toMatchObject({ code: "expired" });
    }
  });

  it("as denied waits for an approval that expires in a moment", async () => {
    const { approvalId } = await savedApproval(1);
    await resolve(approvalId, { status: "denied", resolvedBy: undefined });
    expect((await world.store.getApproval("acme", approvalId))?.status).toBe("expired");
  });

  it("as denied needs no person once the approval was withdrawn", async () => {
    const { approvalId } = await savedApproval();
    const { requestId = "" } = (await world.store.getApproval("acme", approvalId)) ?? {};
    await world.store.withdrawRequest(requestId, "orchestration_failed");
    await resolve(approvalId, { status: "denied", resolvedBy: undefined });
    for (const change of [{ resolvedBy: undefined }, {}]) {
      await expect(resolve(approvalId, change)).rejects.toMatchObject({ code: "withdrawn" });
    }
  });

  it("as approved is refused once the approval was withdrawn after its decision, also to who approved it", async () => {
    const { approvalId } = await savedApproval();
    await resolve(approvalId);
    await resolve(approvalId);
    await world.store.withdrawRestored("acme", null);
    for (const change of [{}, { resolvedBy: undefined }]) {
      await expect(resolve(approvalId, change)).rejects.toMatchObject({ code: "withdrawn" });
    }
    await resolve(approvalId, { status: "denied", resolvedBy: undefined });
  });

  it.each([
    ["denied", undefined],
    ["denied", "finance"],
    ["withdrawn", undefined],
    ["withdrawn", "finance"],
  ] as const)(
    "as approved is refused if the log says that it was %s, whatever its row says, by %s",
    async (end, resolvedBy) => {
      const { approvalId } = await savedApproval();
      const { requestId = "" } = (await world.store.getApproval("acme", approvalId)) ?? {};
      if (end === "denied") await resolve(approvalId, { status: "denied" });
      else await world.store.withdrawRequest(requestId, "superseded");
      await world.database.admin`
      update countersign.approvals set status = 'approved', finished_at = null, withdrawal_cause = null,
        decision_type = 'approve', decided_by = 'finance', decided_at = now() where id = ${approvalId}`;
      await expect(resolve(approvalId, { resolvedBy })).rejects.toMatchObject({ code: "digest_changed" });
    },
  );

  it("without a person leaves the expiry of an agent's own call to its run", async () => {
    const [call] = await proposeCall(world.store, { timeoutMs: 1 });
    const early = resolve(call?.id ?? "", { status: "denied", resolvedBy: undefined });
    await expect(early).rejects.toMatchObject({ code: "unauthenticated" });
    expect((await world.store.getApproval("acme", call?.id ?? ""))?.status).toBe("pending");
  });

  it("of the same decision, made at the same time in the inbox, is a repetition", async () => {
    const { approvalId } = await savedApproval();
    const { requestId = "" } = (await world.store.getApproval("acme", approvalId)) ?? {};
    let resolved: Promise<void> | undefined;
    await world.database.admin.begin(async (sql) => {
      await sql`select from countersign.requests where id = ${requestId} for update`;
      const decided = decideInInbox(approvalId, "approve");
      const waiting = async (count: number) => {
        const [row] = await sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        expect(row?.count).toBe(count);
      };
      await vi.waitFor(() => waiting(1), { timeout: 10_000 });
      resolved = resolve(approvalId);
      await vi.waitFor(() => waiting(2), { timeout: 10_000 });
      void decided;
    });
    await resolved;
    expect((await world.store.getApproval("acme", approvalId))?.decision?.reason).toBe("I have looked");
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
    // Longer ones would make events that the engine refuses.
    ["approvalId", { approvalId: "a".repeat(201) }],
    ["threadId", { threadId: "a".repeat(201) }],
    ["eventIdToWaitFor", { eventIdToWaitFor: "a".repeat(201) }],
    ["toolName", { toolName: "a".repeat(201) }],
  ])("is refused by name when an approval is saved: %s", async (field, change) => {
    await expect(history.savePendingApproval({ ...details(), ...change } as never)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(field),
    });
  });
});
