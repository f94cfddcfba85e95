// Somebody with write access resets the row of a call that has started or ended. The log only grows, so it does not start
// again, whatever its verdict is, and with or without a signing key.

import { randomUUID } from "node:crypto";
import { type Approval, definePolicy, notify } from "countersign";
import { afterEach, describe, expect, it } from "vitest";
import { endedAfterRetries } from "../support/checked-workspace.js";
import { freshPostgres } from "../support/databases.js";
import { call, refund, requested } from "../support/mcp-server/agent-requests.js";
import { openMcpWorld, structured } from "../support/mcp-server/mcp-world.js";
import { proposeCall } from "../support/proposals.js";
import { rehearsedShop, waysIn } from "../support/rehearsed-shop.js";
import { postgresStore, type Store } from "../support/store.js";

const withKey = { signingKey: "one-secret-that-is-long-enough-for-a-key" };

/** Makes a call look as if it had just been approved, or had just started. */
const resetTo = (status: "approved" | "executing") => `
  update countersign.approvals set status = '${status}', finished_at = null, withdrawal_cause = null,
    outcome_json = null, outcome_token = null,
    started_at = ${status === "approved" ? "null" : "now()"},
    handler_kind = ${status === "approved" ? "null" : "'idempotent'"}`;

const crashPoint = Symbol.for("countersign:crash-point");
afterEach(() => {
  Reflect.deleteProperty(globalThis, crashPoint);
});

/** Makes the process crash once, right after a call has started. */
function crashAfterStart(): () => boolean {
  let done = false;
  Reflect.set(globalThis, crashPoint, (name: string) => {
    if (done || (name !== "after-handler" && name !== "after-durable-claim")) return;
    done = true;
    throw new Error("The process ended");
  });
  return () => done;
}

const notifying = definePolicy({
  tools: { refund: notify() },
  profiles: { script: { tools: { refund: notify() } } },
});
const { "a plain step that asks": asking, ...telling } = waysIn;

describe.each(Object.entries(telling))("a call of %s that notifies", (_way, open) => {
  it.each([
    ["a signing key", withKey],
    ["no signing key", {}],
  ])("starts once after a crash although its row was reset, with %s", async (_key, countersign) => {
    await using database = await freshPostgres();
    const shop = rehearsedShop();
    const crashed = crashAfterStart();
    await using harness = await open(shop, { database, policy: notifying, countersign });
    const { runId } = await harness.say("Refund A-1001");
    await expect.poll(crashed).toBe(true);
    await harness.engine.idle();
    const [reset] = await database.admin.unsafe(`${resetTo("approved")} returning id`);
    await endedAfterRetries(harness, runId);
    const trail = await harness.store.auditTrail("acme", String(reset?.id));
    expect(trail.filter(({ type }) => type === "approval.executing")).toHaveLength(1);
    expect(trail.at(-1)).toMatchObject({ type: "approval.withdrawn", data: { field: "status" } });
    expect(shop.ran.length).toBeLessThanOrEqual(1);
  });
});

it("a step that asks does not go on by a denial that was turned into an approval", async () => {
  await using database = await freshPostgres();
  const shop = rehearsedShop();
  await using harness = await asking(shop, { database });
  const { runId } = await harness.say("Refund A-1001");
  const approval = await harness.onlyPending();
  await harness.engine.stop();
  await harness.decide(approval, "deny");
  await database.admin.unsafe(`${resetTo("approved")}, decision_type = 'approve'`);
  await harness.engine.start();
  await harness.ended(runId);
  expect(shop.ran).toEqual([]);
});

describe("a call of a program outside", () => {
  const page = () => ({ tool: "page", arguments: { order: randomUUID(), amount: 1 } });

  it.each([
    { what: "that notifies", action: page(), status: "approved" },
    { what: "that notifies", action: page(), status: "executing" },
    { what: "that was approved", action: refund(), status: "approved" },
  ] as const)("$what is used once although its row was reset to $status", async ({ action, status }) => {
    await using world = await openMcpWorld();
    const agent = await world.client("agent");
    const { approvalId, outcome } = await requested(agent, action);
    if (outcome.status === "pending") await world.decide("finance", approvalId, "approve");
    const use = async () => structured(await call(agent, "use_approval", { approvalId, ...action }));
    expect(await use()).toMatchObject({ go: true });
    await world.database.admin.unsafe(`${resetTo(status)} where id = '${approvalId}'`);
    await world.database.admin`update countersign.evidence set consumed_at = null`;
    expect(await use()).toMatchObject({ go: false });
    expect((await world.trail(approvalId)).filter((type) => type === "approval.executing")).toHaveLength(1);
  });
});

describe("a call without a signed decision", () => {
  const by = { id: "ada", tenantId: "acme", roles: [] };
  type Ended = (store: Store, call: Approval) => Promise<unknown>;
  const started = async (store: Store, { id, digest }: Approval) => {
    await store.decide({ approvalId: id, principal: by, type: "approve", digest, reason: null });
    await store.claim(id, "once", () => undefined);
  };
  const ends: Record<string, Ended> = {
    executed: async (store, call) => {
      await started(store, call);
      await store.finish(call.id, { status: "executed", outcomeJson: "{}" });
    },
    failed: async (store, call) => {
      await started(store, call);
      await store.finish(call.id, { status: "failed", outcomeJson: "{}" });
    },
    interrupted: async (store, call) => {
      await started(store, call);
      await store.finish(call.id, { status: "interrupted" });
    },
    denied: (store, { id, digest }) =>
      store.decide({ approvalId: id, principal: by, type: "deny", digest, reason: null }),
    withdrawn: (store, { requestId }) => store.withdrawRequest(requestId, "run_cancelled"),
  };

  it.each(
    Object.entries(ends).flatMap(([end, cause]) =>
      (["approved", "executing"] as const).map((status) => ({ end, cause, status })),
    ),
  )("that is $end does not start when its row is reset to $status", async ({ cause, status }) => {
    await using database = await freshPostgres(2);
    const store = postgresStore({ client: database.postgres });
    await store.migrate();
    const [proposed] = await proposeCall(store);
    if (!proposed) throw new Error("unreachable");
    await cause(store, proposed);
    await database.admin.unsafe(resetTo(status));
    expect(await store.claim(proposed.id, "idempotent", () => undefined)).toMatchObject({
      outcome: "refused",
      approval: { status: status === "approved" ? "withdrawn" : "interrupted" },
    });
  });
});
