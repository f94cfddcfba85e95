import type { Conversation, Reply } from "@countersign/testing";
import {
  createAgent,
  createNetwork,
  createState,
  createTool,
  type StateData,
  type Tool,
} from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { eventually, type Harness, openHarness, principals } from "../support/harness.js";
import type { HarnessOptions, RunWorld } from "../support/harness-options.js";
import { spoken, spokenOf } from "./conversation-lines.js";

const requester = principals.requester as NonNullable<typeof principals.requester>;
const policy = definePolicy({
  tools: { lookup: allow(), delegate: allow(), refund: ask(), email: ask(), erase: ask() },
});
const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const email = { name: "email", input: { to: "customer", text: "Refunded" } };

/** The calls that each agent makes, in this order, before it says that it is done. */
const duties: Record<string, { name: string; input: unknown }[]> = {
  manager: [
    { name: "lookup", input: { id: "A-1" } },
    { name: "delegate", input: { task: "Refund A-1" } },
    email,
  ],
  clerk: [refund],
  writer: [email],
};

/** The model's reply: the agent's first duty that the conversation does not contain yet. */
function byDuty({ system, messages }: Conversation): Reply {
  const name = Object.keys(duties).find((each) => system.includes(each)) ?? "";
  const called = messages.flatMap((turn) => (turn.role === "assistant" ? turn.toolCalls : []));
  const next = duties[name]?.find((duty) => !called.some((call) => call.name === duty.name));
  return next ? { toolCalls: [next] } : { text: `The ${name} is done.` };
}

/** A guarded network whose one agent runs until it makes no more calls. */
function networkOf(
  { countersign, agent: { model } }: RunWorld,
  name: string,
  tools: Tool.Any[] = deskTools().tools,
) {
  const agent = createAgent<StateData>({
    name,
    system: `You are the ${name}.`,
    tools,
    ...(model ? { model } : {}),
  });
  return countersign.guard(
    createNetwork<StateData>({
      name: `${name}s`,
      agents: [agent],
      maxIter: 8,
      history: countersign.history,
      router: ({ lastResult, callCount }) =>
        callCount === 0 || lastResult?.output.some(({ type }) => type === "tool_call") ? agent : undefined,
    }),
  );
}

type State = RunWorld["state"];

/** A new state for the same thread. */
const ownState = ({ threadId }: State): State =>
  createState<StateData>({ requester: "requester" }, threadId === undefined ? {} : { threadId });

/** The states in which a second network may run. */
const own = { which: "a state of its own", stateFrom: ownState };
const same = { which: "the same state", stateFrom: (state: State) => state };
const cloned = { which: "a clone of the state", stateFrom: (state: State) => state.clone() };

/** The app is replayed for each step. Anthropic refuses a conversation that does not begin with a user's message. */
const strictest: Pick<HarnessOptions, "checkpointing" | "replaying" | "format"> = {
  ...{ replaying: "each-step", format: "anthropic" },
};
/** Runs a manager whose tool calls `delegate`. */
async function nested(world: RunWorld, delegate: (task: string) => Promise<unknown>) {
  const handOver = createTool({
    name: "delegate",
    parameters: z.object({ task: z.string() }),
    handler: async ({ task }) => {
      await delegate(task);
      return "The clerk was asked.";
    },
  });
  const network = networkOf(world, "manager", [...deskTools().tools, handOver]);
  await network.run(world.message, { state: world.state });
}

/** A desk whose function is `run`, with every conversation that its model was sent. */
async function openDesk(options: Partial<HarnessOptions> & Pick<HarnessOptions, "run">) {
  const database = await freshPostgres();
  const prompts: string[][] = [];
  const { reply = byDuty, ...others } = options;
  const harness = await openHarness({
    database,
    tools: [],
    policy,
    ...others,
    reply: (conversation) => {
      prompts.push(spoken(conversation.messages));
      return reply(conversation);
    },
  });
  return {
    harness,
    prompts,
    thread: async (threadId: string) => {
      const { status, messages } = await harness.countersign.threads.read(threadId, requester);
      return { status, spoken: spokenOf(messages) };
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function approveInTurn(harness: Harness, count: number) {
  let last = await harness.onlyPending();
  await harness.decide(last, "approve");
  for (let n = 1; n < count; n++) {
    last = await harness.nextPending(last);
    await harness.decide(last, "approve");
  }
}

const refunded = ["call: refund", 'result: {"data":{"ok":true}}', "agent: The clerk is done."];
const written = ["call: email", 'result: {"data":{"ok":true}}'];

describe("the thread of two networks", () => {
  it.each([
    { ...own, replay: strictest },
    { ...own, replay: { checkpointing: true } },
    { ...same, replay: strictest },
  ])("has every message once if one runs in a tool of the other, $which, $replay", async (way) => {
    const { stateFrom, replay } = way;
    await using desk = await openDesk({
      ...replay,
      run: (world) =>
        nested(world, (task) => networkOf(world, "clerk").run(task, { state: stateFrom(world.state) })),
    });
    const { harness } = desk;
    const first = await harness.say("Refund A-1 and tell the customer");
    await approveInTurn(harness, 2);
    await harness.ended(first.runId);
    const kept = [
      "user: Refund A-1 and tell the customer",
      "call: lookup",
      'result: {"data":{"id":"A-1","total":80}}',
      "user: Refund A-1",
      ...refunded,
      "call: delegate",
      'result: {"data":"The clerk was asked."}',
      ...written,
      "agent: The manager is done.",
    ];
    expect(await desk.thread(first.threadId)).toEqual({ status: "done", spoken: kept });

    const second = await harness.say("Again", first.threadId);
    await harness.ended(second.runId);
    expect(desk.prompts.at(-1)).toEqual([...kept, "user: Again"]);
  });

  it.each([own, same])("has every message once if one runs after the other, $which", async (way) => {
    await using desk = await openDesk({
      ...strictest,
      run: async (world) => {
        await networkOf(world, "clerk").run(world.message, { state: world.state });
        await networkOf(world, "writer").run("Tell them", { state: way.stateFrom(world.state) });
      },
    });
    const { harness } = desk;
    const first = await harness.say("Refund A-1");
    await approveInTurn(harness, 2);
    await harness.ended(first.runId);
    expect(await desk.thread(first.threadId)).toEqual({
      status: "done",
      spoken: ["user: Refund A-1", ...refunded, "user: Tell them", ...written, "agent: The writer is done."],
    });
    // The second network's message comes after what the first one did.
    expect(desk.prompts.at(-1)).toEqual(["user: Refund A-1", ...refunded, "user: Tell them", ...written]);
    expect(harness.model.requests.every(({ status }) => status === 200)).toBe(true);
  });

  it.each([own, cloned])("has every message once if both run concurrently, $which", async (way) => {
    await using desk = await openDesk({
      ...strictest,
      run: async (world) => {
        const clerk = () => networkOf(world, "clerk").run(world.message, { state: world.state });
        const writer = () =>
          networkOf(world, "writer").run("Tell them", { state: way.stateFrom(world.state) });
        await Promise.all(world.message === "Again" ? [clerk()] : [clerk(), writer()]);
      },
    });
    const { harness } = desk;
    const first = await harness.say("Refund A-1");
    for (const approval of await harness.pending(2)) await harness.decide(approval, "approve");
    await harness.ended(first.runId);
    const thread = await desk.thread(first.threadId);
    expect(thread.status).toBe("done");
    expect([...thread.spoken].sort()).toEqual(
      ["user: Refund A-1", ...refunded, "user: Tell them", ...written, "agent: The writer is done."].sort(),
    );
    // Each result follows its call directly.
    for (const name of ["refund", "email"]) {
      expect(thread.spoken[thread.spoken.indexOf(`call: ${name}`) + 1]).toBe('result: {"data":{"ok":true}}');
    }
    const second = await harness.say("Again", first.threadId);
    await harness.ended(second.runId);
    expect(desk.prompts.at(-1)).toEqual([...thread.spoken, "user: Again"]);
    expect(harness.model.requests.every(({ status }) => status === 200)).toBe(true);
  });
});

describe("the status of a thread", () => {
  it("is waiting while a call of either network waits, running between them, and done when the outer one ends", async () => {
    const seen: string[] = [];
    await using desk = await openDesk({
      checkpointing: false,
      run: async (world) => {
        await nested(world, async (task) => {
          await networkOf(world, "clerk").run(task, { state: ownState(world.state) });
          seen.push((await desk.thread(world.state.threadId ?? "")).status);
        });
        seen.push((await desk.thread(world.state.threadId ?? "")).status);
      },
    });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1 and tell the customer");
    const inner = await harness.onlyPending();
    expect((await desk.thread(threadId)).status).toBe("waiting");
    await harness.decide(inner, "approve");
    await eventually(() => (seen.length > 0 ? true : undefined), "the inner network has ended");
    const outer = await harness.nextPending(inner);
    expect(outer.toolName).toBe("email");
    // A replay reads the status again while the outer call waits.
    expect(seen[0]).toBe("running");
    expect(seen).not.toContain("done");
    expect((await desk.thread(threadId)).status).toBe("waiting");
    expect((await harness.call("requester", "/threads")).body.items).toMatchObject([
      { id: threadId, status: "waiting" },
    ]);
    await harness.decide(outer, "deny");
    await harness.ended(runId);
    expect(seen.at(-1)).toBe("done");
    expect((await desk.thread(threadId)).status).toBe("done");
  });

  it("is done at the end of a run whose inner network has failed", async () => {
    await using desk = await openDesk({
      reply: (conversation) => {
        if (conversation.system.includes("clerk")) throw new Error("The clerk's model is down");
        return byDuty(conversation);
      },
      run: (world) =>
        nested(world, (task) => networkOf(world, "clerk").run(task, { state: ownState(world.state) })),
    });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1 and tell the customer");
    const outer = await harness.onceAtRest(async () => {
      await harness.clock.advance(60_000);
      const { body } = await harness.call("finance", "/approvals?status=pending");
      return body.items[0];
    }, "the outer network's call waits");
    await harness.decide(outer, "deny");
    await harness.ended(runId);
    expect((await desk.thread(threadId)).status).toBe("done");
  });

  it("is done if one of two concurrent networks has failed and the run has not", async () => {
    await using desk = await openDesk({
      reply: (conversation) => {
        if (conversation.system.includes("clerk")) throw new Error("The clerk's model is down");
        return byDuty(conversation);
      },
      run: async (world) => {
        await Promise.allSettled([
          networkOf(world, "clerk").run(world.message, { state: world.state }),
          networkOf(world, "writer").run("Tell them", { state: ownState(world.state) }),
        ]);
      },
    });
    const { harness } = desk;
    const { runId, threadId } = await harness.say("Refund A-1");
    const call = await harness.onlyPending();
    await harness.onceAtRest(async () => {
      await harness.clock.advance(60_000);
      const refused = harness.model.requests.filter(({ status }) => status === 500).length;
      return refused > 1 ? true : undefined;
    }, "the clerk's model has been given up");
    await harness.engine.idle();
    await harness.decide(call, "approve");
    await harness.ended(runId);
    expect((await desk.thread(threadId)).status).toBe("done");
  });
});
