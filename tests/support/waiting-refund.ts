import { freshPostgres } from "./databases.js";
import { deskTools, inTurns } from "./desk-tools.js";
import { type HarnessOptions, openHarness } from "./harness.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

/** An installation on Postgres whose agent has proposed one refund, which waits for its decision. */
export async function openWaitingRefund(options: Partial<HarnessOptions> = {}) {
  const own = options.database ? undefined : await freshPostgres();
  const database = options.database ?? own;
  if (!database) throw new Error("unreachable");
  const { tools, effects } = deskTools();
  const harness = await openHarness({ tools, reply: inTurns(refund), ...options, database });
  const { runId, threadId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  return {
    database,
    harness,
    runId,
    threadId,
    approval,
    effects,
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await own?.[Symbol.asyncDispose]();
    },
  };
}
