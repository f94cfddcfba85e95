import { createTool } from "@inngest/agent-kit";
import type { ApprovalView } from "countersign/hono";
import { z } from "zod";
import { callsFromMessage, callsOf } from "./calls-from-message.js";
import { freshPostgres, type TestDatabase } from "./databases.js";
import { deskTools, type Effect, inTurns } from "./desk-tools.js";
import { openHarness } from "./harness.js";
import type { HarnessOptions } from "./harness-options.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

export type WaitingRefundOptions = Omit<Partial<HarnessOptions>, "database">;

/** An installation on a Postgres of its own, with one pending refund. */
export async function openWaitingRefund(options: WaitingRefundOptions = {}) {
  const database = await freshPostgres();
  const world = await openWaitingRefundOn(database, options);
  return {
    ...world,
    database,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The same on a database that the test has opened and closes itself. */
export async function openWaitingRefundOn(database: TestDatabase, options: WaitingRefundOptions = {}) {
  const { tools, effects } = deskTools();
  const harness = await openHarness({ database, tools, reply: inTurns(refund), ...options });
  const { runId, threadId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  return {
    harness,
    runId,
    threadId,
    approval,
    effects,
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

/** An installation that the tests of a file share: each opens a refund of its own, of an order of its own. */
export async function openRefundDesk(options: WaitingRefundOptions = {}) {
  const database = await freshPostgres();
  const desk = await openRefundDeskOn(database, options);
  return {
    ...desk,
    database,
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The same on a database that the test has opened and closes itself. */
export async function openRefundDeskOn(database: TestDatabase, options: WaitingRefundOptions = {}) {
  const effects = new Map<string, Effect[]>();
  const tool = createTool({
    name: "refund",
    parameters: z.object({ id: z.string(), amount: z.number() }),
    handler: (input) => {
      effects.get(input.id)?.push({ tool: "refund", input });
      return { ok: true };
    },
  });
  const harness = await openHarness({ database, tools: [tool], reply: callsFromMessage, ...options });
  return {
    harness,
    /** Has the agent ask for one refund, and waits until it is pending. */
    async refund(amount = 80) {
      const id = `A-${effects.size + 1}`;
      const ran: Effect[] = [];
      effects.set(id, ran);
      const input = { id, amount };
      const { runId, threadId } = await harness.say(callsOf({ name: "refund", input }));
      const approval = await harness.onceAtRest<ApprovalView>(async () => {
        const { body } = await harness.call("finance", `/approvals?status=pending&threadId=${threadId}`);
        return body.items[0];
      }, `the refund of ${id}`);
      return { harness, runId, threadId, approval, input, effects: ran };
    },
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

export type RefundDesk = Awaited<ReturnType<typeof openRefundDesk>>;
