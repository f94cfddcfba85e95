import { AgentResult, createNetwork, type StateData } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres, type TestDatabase } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";
import type { RunWorld } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";
import type { Store } from "../support/store.js";
import { spoken, spokenOf } from "./spoken.js";

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

describe("a run that began under an earlier version", () => {
  /** Imitates the earlier version: its keys, and both results of a network written at once, at the end. */
  const earlier = (isOld: () => boolean) => (store: Store) => {
    const results = new Map<string, Parameters<Store["appendEntries"]>[2][number]>();
    return interceptedStore(store, {
      beginTurn: (carryOut, turn) =>
        carryOut(isOld() && turn.earlierKey !== undefined ? { ...turn, key: turn.earlierKey } : turn),
      appendEntries: async (carryOut, tenantId, threadId, entries) => {
        if (!isOld()) return carryOut(tenantId, threadId, entries);
        for (const entry of entries) results.set(entry.key, entry);
        if (results.size < 2) return;
        const named = [...results.values()].map((entry, index) => ({
          ...entry,
          key: `result:${entry.runId}.0.${index}`,
        }));
        await carryOut(tenantId, threadId, named);
      },
    });
  };

  /** Runs one network to its end before the upgrade, and another one after it. */
  const twoNetworks = async ({ countersign, agent, state, message, step }: RunWorld) => {
    const network = () =>
      countersign.guard(
        createNetwork<StateData>({
          name: "desk",
          agents: [agent],
          history: countersign.history,
          router: ({ lastResult, callCount }) =>
            callCount === 0 || lastResult?.output.some(({ type }) => type === "tool_call")
              ? agent
              : undefined,
        }),
      );
    await network().run(message, { state });
    await step.waitForEvent("upgrade", { event: "harness/upgraded", timeout: "1h" });
    await network().run("Go on", { state });
  };

  it("has every message once in its thread and in the model's request after the upgrade", async () => {
    let old = true;
    await using database = await freshPostgres();
    const { tools } = deskTools();
    const prompts: string[][] = [];
    await using harness = await openHarness({
      database,
      policy,
      tools,
      replaying: "each-step",
      reply: (conversation) => {
        prompts.push(spoken(conversation.messages));
        return inTurns(refundOf(1))(conversation);
      },
      run: twoNetworks,
      between: earlier(() => old),
    });
    const { runId, threadId } = await harness.say("Refund it");
    const first = await harness.onlyPending();
    await harness.decide(first, "approve");
    await harness.engine.idle();
    old = false;
    await harness.inngest.send({ name: "harness/upgraded", data: {} });
    await harness.decide(await harness.nextPending(first), "deny");
    await harness.ended(runId);
    const { messages } = await harness.countersign.threads.read(threadId, requester);
    const whole = [
      "user: Refund it",
      "call: refund",
      'result: {"data":{"ok',
      "agent: Done.",
      "user: Go on",
      "call: refund",
      'result: {"error":{"n',
      "agent: Done.",
    ];
    expect(spokenOf(messages).map((line) => line.slice(0, 20))).toEqual(whole);
    expect(prompts.at(-1)?.map((line) => line.slice(0, 20))).toEqual(whole.slice(0, -1));
  });
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
