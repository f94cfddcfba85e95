import { AgentResult } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { freshPostgres, type TestDatabase } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { spokenOf } from "./conversation-lines.js";

const requester = principals.requester as NonNullable<typeof principals.requester>;
const refundOf = (n: number) => ({ toolCalls: [{ name: "refund", input: { id: `A-${n}`, amount: n } }] });
const policy = definePolicy({ tools: { refund: ask() } });

/** The version of a thread's row. It changes with every write, even one that changes no value. */
async function versionOf(database: TestDatabase, threadId: string): Promise<unknown> {
  if (database.kind !== "postgres") throw new Error("unreachable");
  const [row] =
    await database.admin`select xmin::text, ctid::text, xmax::text from countersign.threads where id = ${threadId}`;
  return row;
}

it("a replay writes nothing to its thread", async () => {
  await using database = await freshPostgres();
  const { tools } = deskTools();
  const writes: string[] = [];
  let threadId = "";
  const versions: unknown[] = [];
  await using harness = await openHarness({
    database,
    policy,
    tools,
    replaying: "each-step",
    reply: inTurns(refundOf(1), refundOf(2)),
    between: (store) =>
      interceptedStore(store, {
        appendEntries: (carryOut, ...args) => {
          writes.push(`${args[2].length} results`);
          return carryOut(...args);
        },
        beginTurn: async (carryOut, turn) => {
          const begun = await carryOut(turn);
          if (begun.isNew) writes.push("message");
          else versions.push(await versionOf(database, turn.threadId));
          return begun;
        },
        endThread: async (carryOut, ...args) => {
          writes.push("end");
          return carryOut(...args);
        },
      }),
  });
  const first = await harness.say("Refund both");
  threadId = first.threadId;
  const one = await harness.onlyPending();
  await harness.decide(one, "approve");
  await harness.decide(await harness.nextPending(one), "approve");
  await harness.ended(first.runId);
  // There are many replays, and each write happens once. The last replay ends the thread.
  expect(versions.length).toBeGreaterThan(10);
  expect(writes).toEqual(["message", "1 results", "1 results", "1 results", "end"]);
  expect(new Set(versions.map((version) => JSON.stringify(version))).size).toBe(1);
  expect((await harness.countersign.threads.read(threadId, requester)).status).toBe("done");
});

it("a host's own appendResults decides which results are kept, and no message is doubled", async () => {
  await using database = await freshPostgres();
  const { tools } = deskTools();
  const secret = { toolCalls: [{ name: "lookup", input: { id: "secret" } }] };
  await using harness = await openHarness({
    database,
    tools,
    reply: inTurns(secret, refundOf(1)),
    network: (network, _step, countersign) => {
      const { history } = countersign;
      network.history = {
        ...history,
        appendResults: (context) =>
          history.appendResults({
            ...context,
            newResults: context.newResults
              .filter((result) => !JSON.stringify(result.output).includes("secret"))
              .map(({ agentName, output, toolCalls, createdAt }) => {
                return new AgentResult(agentName, [...output], [...toolCalls], createdAt);
              }),
          }),
      };
      return undefined;
    },
  });
  const { runId, threadId } = await harness.say("Refund A-1");
  await harness.decide(await harness.onlyPending(), "approve");
  await harness.ended(runId);
  const { messages, status } = await harness.countersign.threads.read(threadId, requester);
  expect(spokenOf(messages)).toEqual([
    "user: Refund A-1",
    "call: refund",
    'result: {"data":{"ok":true}}',
    "agent: Done.",
  ]);
  expect(status).toBe("done");
});
