import { freshPostgres, type TestDatabase } from "./databases.js";
import { deskTools, inTurns } from "./desk-tools.js";
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
