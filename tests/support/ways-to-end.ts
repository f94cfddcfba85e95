import type { Approval, Principal } from "countersign";
import type { Card } from "countersign/types";
import { expect } from "vitest";
import type { DeliveryDesk } from "./delivery-desk.js";
import type { Store } from "./store.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const minute = 60_000;

/** A call that waits for people. */
export interface WaitingCall extends Pick<DeliveryDesk, "store" | "time" | "database"> {
  call: Approval;
}

export const decideCall = ({ store, call }: Pick<WaitingCall, "store" | "call">, type: "approve" | "deny") =>
  store.decide({ approvalId: call.id, principal: finance, type, digest: call.digest, reason: null });

async function start(world: WaitingCall): Promise<Store> {
  const { store, call } = world;
  await decideCall(world, "approve");
  expect(await store.claim(call.id, "once", () => undefined)).toMatchObject({ outcome: "claimed" });
  return store;
}

interface WayToEnd {
  end(world: WaitingCall): Promise<unknown>;
  /** The status and the outcome text of the call's card. */
  status: Card["status"];
  text: string;
  /** The last public event: its name without `countersign/approval.`, and its data. */
  event: [name: string, says: Record<string, unknown>];
}

/** Every way in which a call can end. */
export const waysToEnd: Record<string, WayToEnd> = {
  "a person approves it": {
    end: (world) => decideCall(world, "approve"),
    status: "approved",
    text: "Approved by finance",
    event: ["decided", { decision: "approve", by: "person", actorId: "finance" }],
  },
  "a person denies it": {
    end: (world) => decideCall(world, "deny"),
    status: "denied",
    text: "Denied by finance",
    event: ["decided", { decision: "deny", by: "person", actorId: "finance" }],
  },
  "a person answers it": {
    end: ({ store, call }) =>
      store.decide({
        ...{ approvalId: call.id, principal: finance, digest: call.digest, reason: null },
        ...{ type: "respond", responseJson: "{}" },
      }),
    status: "responded",
    text: "Answered by finance",
    event: ["decided", { decision: "respond", by: "person", actorId: "finance" }],
  },
  "its run sees that it has expired": {
    async end({ store, call, time }) {
      time.offset += 31 * minute;
      await store.settle(call.requestId, 0);
    },
    status: "expired",
    text: "Expired before anyone decided. It did not run",
    event: ["expired", { actorId: null }],
  },
  "a look of its run finds it expired": {
    async end({ store, call, time }) {
      time.offset += 31 * minute;
      await store.peek(call.requestId, 1);
    },
    status: "expired",
    text: "Expired before anyone decided. It did not run",
    event: ["expired", { actorId: null }],
  },
  "the sweep expires it": {
    async end({ store, time }) {
      time.offset += 60 * minute;
      await store.sweep();
    },
    status: "expired",
    text: "Expired before anyone decided. It did not run",
    event: ["expired", { actorId: null }],
  },
  "a decision comes too late": {
    async end(world) {
      world.time.offset += 31 * minute;
      expect(await decideCall(world, "approve")).toMatchObject({ outcome: "expired" });
    },
    status: "expired",
    text: "Expired before anyone decided. It did not run",
    event: ["expired", { actorId: null }],
  },
  "an extension comes too late": {
    async end({ store, call, time }) {
      time.offset += 31 * minute;
      await store.extend({ approvalId: call.id, principal: finance, byMs: minute });
    },
    status: "expired",
    text: "Expired before anyone decided. It did not run",
    event: ["expired", { actorId: null }],
  },
  "its run never starts it": {
    async end(world) {
      await decideCall(world, "approve");
      await world.store.settle(world.call.requestId, 0);
      world.time.offset += 3 * 24 * 60 * minute;
      await world.store.sweep();
    },
    status: "expired",
    text: "Approved by finance. The run never started it, so it expired",
    event: ["expired", { actorId: null }],
  },
  "its run starts it too late": {
    async end(world) {
      await decideCall(world, "approve");
      await world.store.settle(world.call.requestId, 0);
      world.time.offset += 3 * 24 * 60 * minute;
      await world.store.claim(world.call.id, "once", () => undefined);
    },
    status: "expired",
    text: "Approved by finance. The run never started it, so it expired",
    event: ["expired", { actorId: null }],
  },
  "its run is cancelled": {
    end: ({ store, call }) => store.withdrawRun(call.runId ?? "", "run_cancelled"),
    status: "withdrawn",
    text: "Withdrawn: the run was cancelled",
    event: ["withdrawn", { cause: "run_cancelled" }],
  },
  "its run is lost": {
    end: ({ store, call }) => store.withdrawRun(call.runId ?? "", "run_lost"),
    status: "withdrawn",
    text: "Withdrawn: the workflow engine lost the run",
    event: ["withdrawn", { cause: "run_lost" }],
  },
  "a newer message takes its place": {
    end: ({ store }) => store.withdrawThread("acme", "thread", "another run"),
    status: "withdrawn",
    text: "Withdrawn: a newer message in the conversation superseded it",
    event: ["withdrawn", { cause: "superseded" }],
  },
  "its orchestrator breaks down": {
    end: ({ store, call }) => store.withdrawRequest(call.requestId, "orchestration_failed"),
    status: "withdrawn",
    text: "Withdrawn: the approval could not be completed because of a technical error",
    event: ["withdrawn", { cause: "orchestration_failed" }],
  },
  "its row was changed": {
    async end(world) {
      await world.database.admin`update countersign.approvals set summary = 'Refund nothing'`;
      expect(await decideCall(world, "approve")).toMatchObject({ outcome: "digest_changed" });
    },
    status: "withdrawn",
    text: "Withdrawn: what is stored no longer matches what was approved",
    event: ["withdrawn", { cause: "digest_changed" }],
  },
  "an operator stops it before it starts": {
    async end(world) {
      await decideCall(world, "approve");
      const about = { tenantId: "acme", reason: "Why", by: finance };
      const { id } = await world.store.engageStop({ ...about, tool: "refund" });
      await world.store.claim(world.call.id, "once", () => undefined);
      await world.store.releaseStop({ ...about, id });
    },
    status: "withdrawn",
    text: "Approved by finance. Withdrawn: an operator has stopped this tool",
    event: ["withdrawn", { cause: "stopped" }],
  },
  "the policy has changed before it starts": {
    async end(world) {
      await decideCall(world, "approve");
      await world.store.claim(world.call.id, "once", () => ({ cause: "policy_changed" }));
    },
    status: "withdrawn",
    text: "Approved by finance. Withdrawn: the policy changed after the approval, and this now needs more than that approval",
    event: ["withdrawn", { cause: "policy_changed" }],
  },
  "it starts": {
    end: start,
    status: "executing",
    text: "Approved by finance. It is running",
    event: ["started", {}],
  },
  "it runs": {
    end: async (world) =>
      (await start(world)).finish(world.call.id, { status: "executed", outcomeJson: "{}" }),
    status: "executed",
    text: "Approved by finance. It ran",
    event: ["finished", {}],
  },
  "its handler fails": {
    end: async (world) => (await start(world)).finish(world.call.id, { status: "failed", outcomeJson: "{}" }),
    status: "failed",
    text: "Approved by finance. It ran and failed",
    event: ["finished", {}],
  },
  "it is interrupted": {
    end: async (world) => (await start(world)).finish(world.call.id, { status: "interrupted" }),
    status: "interrupted",
    text: "Approved by finance. It was interrupted and may have run",
    event: ["finished", {}],
  },
  "its run fails while it runs": {
    end: async (world) => (await start(world)).withdrawRun(world.call.runId ?? "", "run_failed"),
    status: "interrupted",
    text: "Approved by finance. It was interrupted and may have run",
    event: ["finished", {}],
  },
  "the sweep interrupts it": {
    async end(world) {
      await start(world);
      world.time.offset += 120 * minute;
      await world.store.sweep();
    },
    status: "interrupted",
    text: "Approved by finance. It was interrupted and may have run",
    event: ["finished", {}],
  },
  "a person records what became of it": {
    async end(world) {
      const store = await start(world);
      await store.finish(world.call.id, { status: "interrupted" });
      await store.resolve({ approvalId: world.call.id, principal: finance, outcome: "done", note: null });
    },
    status: "interrupted",
    text: "Approved by finance. It was interrupted. A person found that it ran",
    event: ["resolved", { outcome: "done", actorId: "finance" }],
  },
};
