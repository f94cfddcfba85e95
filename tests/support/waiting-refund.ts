import { freshPostgres, type TestDatabase } from "./databases.js";
import { deskTools, inTurns } from "./desk-tools.js";
import { type HarnessOptions, openHarness } from "./harness.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

type WaitingRefund = Awaited<ReturnType<typeof waitingRefundOn>>;
type Options = Omit<Partial<HarnessOptions>, "database">;

/** An installation whose agent has proposed one refund, which waits: on a Postgres of its own unless one is given. */
export async function openWaitingRefund(
  options?: Options & { database?: TestDatabase & { kind: "postgres" } },
): Promise<WaitingRefund & { database: TestDatabase & { kind: "postgres" } }>;
export async function openWaitingRefund(
  options: Options & { database: TestDatabase },
): Promise<WaitingRefund>;
export async function openWaitingRefund({
  database,
  ...options
}: Options & { database?: TestDatabase } = {}) {
  if (database) return waitingRefundOn(database, options);
  const own = await freshPostgres();
  const world = await waitingRefundOn(own, options);
  return {
    ...world,
    database: own,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    },
  };
}

async function waitingRefundOn(database: TestDatabase, options: Options) {
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
    },
  };
}
