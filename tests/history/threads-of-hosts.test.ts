import {
  type Agent,
  createNetwork,
  createState,
  type HistoryConfig,
  type Network,
  type StateData,
} from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import type { RunWorld } from "../support/harness-options.js";
import { hardestWay } from "../support/loops/ways.js";

type History = HistoryConfig<StateData>;

/** What a host's own database holds, and what each replay saw. */
interface HostRows {
  threads: string[];
  messages: { threadId: string | undefined; content: string }[];
  /** The network's state when its agent ran, on each replay. */
  states: StateData[];
}

/** A history that inserts a row for each thread and each message, as AgentKit's documentation describes it. */
function insertingHistory(rows: HostRows): History {
  return {
    createThread: async ({ state }) => {
      const threadId = `thread ${rows.threads.push(state.threadId ?? "new")}`;
      state.data.title = `About ${threadId}`;
      return { threadId };
    },
    appendUserMessage: async ({ threadId, userMessage }) => {
      rows.messages.push({ threadId, content: userMessage.content });
    },
    get: async () => [],
    appendResults: async () => {},
  };
}

interface Desk {
  history(rows: HostRows, world: RunWorld): History;
  /** Starts the agents. @default a guarded network */
  start?(network: Network<StateData>, world: RunWorld): Network<StateData>;
  /** @default a new thread */
  threadId?: string;
}

/** Lets an agent of a network with the host's history propose a refund, has it approved, and waits for the end. */
async function refundOnce(desk: Desk) {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const rows: HostRows = { threads: [], messages: [], states: [] };
  await using harness = await openHarness({
    ...{ database, tools, ...hardestWay },
    policy: definePolicy({ tools: { refund: ask() } }),
    reply: inTurns({ toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] }),
    async run(world) {
      const { agent, message, countersign } = world;
      const network = createNetwork<StateData>({
        ...{ name: "desk", agents: [agent], maxIter: 8, history: desk.history(rows, world) },
        router: ({ lastResult, callCount, network: { state } }) => {
          if (callCount === 0) rows.states.push({ ...state.data });
          return callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call")
            ? agent
            : undefined;
        },
      });
      const started = desk.start?.(network, world) ?? countersign.guard(network);
      const { threadId } = desk;
      const state = createState<StateData>({}, threadId === undefined ? {} : { threadId });
      const { state: ended } = await started.run(message, { state });
      return ended.threadId;
    },
  });
  const { runId } = await harness.say("Refund A-1");
  const asked = await harness.onlyPending();
  await harness.decide(asked, "approve");
  await harness.ended(runId);
  const approvals = await harness.store.listApprovals({ tenantId: "acme", limit: 10 });
  expect(approvals.map(({ status }) => status)).toEqual(["executed"]);
  expect(effects).toHaveLength(1);
  const threadId = (await harness.runStatus(runId)).output;
  expect(asked.threadId).toBe(threadId);
  return { ...rows, threadId, steps: await harness.functionRuns("agent") };
}

describe("a network with the host's own history", () => {
  it("creates its thread once, saves the user's message once, and asks once", async () => {
    const rows = await refundOnce({ history: insertingHistory });
    expect(rows.threads).toEqual(["new"]);
    expect(rows.threadId).toBe("thread 1");
    expect(rows.messages).toEqual([{ threadId: "thread 1", content: "Refund A-1" }]);
    // Each replay finds what createThread has changed in the state.
    expect(new Set(rows.states.map(({ title }) => title))).toEqual(new Set(["About thread 1"]));
  });

  it("does so if only its agents are guarded, by lifecycle()", async () => {
    const start = (network: Network<StateData>, { agent, countersign }: RunWorld) => {
      agent.lifecycles = countersign.lifecycle() as Agent.Lifecycle<StateData>;
      return network;
    };
    const rows = await refundOnce({ history: insertingHistory, start });
    expect(rows).toMatchObject({ threads: ["new"], messages: [{ threadId: "thread 1" }] });
  });

  it("keeps one thread if its history only reads, and AgentKit would make an id on each replay", async () => {
    const rows = await refundOnce({ history: () => ({ get: async () => [] }) });
    expect(rows.threadId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("runs the steps that createThread uses itself, also in the host's closure", async () => {
    for (const closure of [true, false]) {
      const history = (rows: HostRows, world: RunWorld): History => ({
        ...insertingHistory(rows),
        createThread: async ({ step }) => {
          await world.step.sleep("a moment", "1ms");
          const insert = () => `thread ${rows.threads.push("new")}`;
          const threadId = closure
            ? await world.step.run("thread", insert)
            : await step?.run("thread", insert);
          return { threadId: String(threadId) };
        },
      });
      const rows = await refundOnce({ history });
      expect(rows.threads).toEqual(["new"]);
    }
  });

  it("may hand its methods on to countersign.history", async () => {
    const history = (rows: HostRows, { countersign }: RunWorld): History => {
      const kept = countersign.history as unknown as Required<History>;
      return {
        ...kept,
        createThread: async (context) => {
          const thread = await kept.createThread(context);
          rows.threads.push(thread.threadId);
          return thread;
        },
        appendUserMessage: (context) => kept.appendUserMessage(context),
      };
    };
    const { threads } = await refundOnce({ history });
    expect(new Set(threads).size).toBe(1);
  });

  it("creates no thread if the state names one", async () => {
    const rows = await refundOnce({ history: insertingHistory, threadId: "thr of the host" });
    expect(rows.threadId).toBe("thr of the host");
    expect(new Set(rows.threads)).toEqual(new Set(["thr of the host"]));
    expect(rows.messages).toHaveLength(1);
  });
});
