import type { Countersign, Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import type { Store } from "../support/store.js";

let world: Awaited<ReturnType<typeof openApiWorld>>;
beforeAll(async () => {
  world = await openApiWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const principal: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };

type Act = (world: { countersign: Countersign; store: Store }, id: string) => Promise<unknown>;

/** What code does to one row, by its id. */
const acts: Record<string, Act> = {
  approve: ({ countersign }, approvalId) =>
    countersign.decide({ approvalId, principal, type: "approve", digest: "d", reason: null }),
  deny: ({ countersign }, approvalId) =>
    countersign.decide({ approvalId, principal, type: "deny", digest: "d", reason: null }),
  "approve with a hold": ({ countersign }, approvalId) =>
    countersign.decide({ approvalId, principal, type: "approve", digest: "d", reason: null, holdMs: 1000 }),
  "take back": ({ countersign }, approvalId) => countersign.takeBack({ approvalId, principal }),
  assign: ({ countersign }, approvalId) => countersign.assign({ approvalId, principal, to: "lead" }),
  view: ({ countersign }, approvalId) => countersign.setViewing({ approvalId, principal, active: true }),
  "end viewing": ({ countersign }, approvalId) =>
    countersign.setViewing({ approvalId, principal, active: false }),
  snooze: ({ countersign }, approvalId) =>
    countersign.snooze({ approvalId, principal, until: new Date(Date.now() + 60_000) }),
  "end a snooze": ({ countersign }, approvalId) => countersign.snooze({ approvalId, principal, until: null }),
  extend: ({ countersign }, approvalId) => countersign.extend({ approvalId, principal, byMs: 60_000 }),
  resolve: ({ countersign }, approvalId) =>
    countersign.resolve({ approvalId, principal, outcome: "done", note: null }),
  undo: ({ countersign }, approvalId) => countersign.undo({ approvalId, principal, digest: "d" }),
  "undo several": async ({ countersign }, approvalId) => {
    const [result] = await countersign.undoMany({ principal, calls: [{ approvalId, digest: "d" }] });
    if (result && !result.ok) throw result.error;
  },
  "use an approval": ({ countersign }, approvalId) =>
    countersign.externalCalls.use({ principal, approvalId, toolName: "pay", input: {} }),
  "read an outcome": ({ countersign }, approvalId) =>
    countersign.externalCalls.outcome({ principal, approvalId }),
  "withdraw a call": ({ countersign }, approvalId) =>
    countersign.externalCalls.withdraw({ principal, approvalId }),
};

describe.each(["unknown", "a\0b", "\0", "a\ud800"])("an id that no row has, %j", (id) => {
  it.each(Object.entries(acts))("is not found: %s", async (_what, act) => {
    await expect(act(world, id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is of no thread, grant, stop, evidence or entry", async () => {
    const { countersign, store } = world;
    await expect(countersign.threads.read(id, principal)).rejects.toMatchObject({ code: "thread_not_found" });
    await expect(countersign.threads.readTurns(id, principal)).rejects.toMatchObject({
      code: "thread_not_found",
    });
    expect(await countersign.threads.ownerOf("acme", id)).toBeUndefined();
    expect(await store.getApproval("acme", id)).toBeUndefined();
    expect(await store.getGrant(principal, id)).toBeUndefined();
    expect(await store.revokeGrant(principal, id)).toMatchObject({ outcome: "not_found" });
    const release = { id, tenantId: "acme", reason: "Over", by: principal };
    expect(await store.releaseStop(release)).toMatchObject({ outcome: "not_found" });
    expect(await store.readEvidence("acme", id)).toBeUndefined();
    expect(await store.auditTrail("acme", id)).toEqual([]);
  });
});
