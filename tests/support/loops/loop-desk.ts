import { allow, ask, definePolicy, deny, gateTool, type RunGate } from "countersign";
import { z } from "zod";
import { freshPostgres } from "../databases.js";
import { openHarness } from "../harness.js";
import type { HarnessOptions, RunWorld } from "../harness-options.js";

const policy = definePolicy({
  tools: {
    look_up: allow(),
    refund: ask({
      approvers: { roles: ["finance"] },
      decisions: ["approve", "deny", "edit", "respond"],
      editable: ["amount"],
    }),
    erase: deny("Nothing is erased"),
    export_all: ask({ approvers: { roles: ["finance"] } }),
  },
});

/** The desk's tools, which record what they are called with. */
function desk() {
  const ran: [name: string, input: unknown][] = [];
  const lookUp = gateTool({
    name: "look_up",
    inputSchema: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
    execute: (input) => {
      ran.push(["look_up", input]);
      return { paid: 80 };
    },
  });
  const refund = gateTool({
    name: "refund",
    description: "Pays money back",
    inputSchema: z.object({ order: z.string(), amount: z.number() }),
    execute: ({ order, amount }, { approval }) => {
      ran.push(["refund", { order, amount }]);
      if (order === "broken") throw new RangeError("The bank is closed");
      return `${amount} under ${approval?.idempotencyKey}`;
    },
  });
  const erase = gateTool({
    name: "erase",
    inputSchema: z.object({}),
    execute: () => ran.push(["erase", {}]),
  });
  return { ran, tools: [lookUp, refund, erase], lookUp, refund };
}

export type Desk = ReturnType<typeof desk>;

/** A harness whose run is `body`. Its result, and an error as plain data, are the run's output. */
export async function openLoop(
  body: (gate: RunGate, desk: Desk, world: RunWorld) => Promise<unknown>,
  how: Pick<HarnessOptions, "replaying" | "checkpointing" | "between" | "optimizeParallelism"> = {},
) {
  const database = await freshPostgres();
  const shop = desk();
  const harness = await openHarness({
    ...{ database, policy, tools: [], reply: () => ({ text: "unused" }), ...how },
    run: async (world) => {
      const context = { requester: { id: "requester" }, threadId: "thread-1" };
      const gate = world.countersign.gate({ step: world.step, context, agentName: "desk" });
      return body(gate, shop, world).catch(plainError);
    },
  });
  return {
    harness,
    ran: shop.ran,
    async outputOf(runId: string): Promise<unknown> {
      await harness.ended(runId);
      return (await harness.runStatus(runId)).output;
    },
    /** All approvals that there are. */
    asked: () => harness.store.listApprovals({ tenantId: "acme", limit: 10 }),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** An error as a run's output holds it. */
export const plainError = ({ message, code }: Error & { code?: string }) => ({ message, code });

export const calls = (...given: [id: string, name: string, input: unknown][]) =>
  given.map(([id, name, input]) => ({ id, name, input }));
