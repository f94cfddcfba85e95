import { createAgent, createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";
import { spoken, spokenOf } from "./conversation-lines.js";

const requester = principals.requester as NonNullable<typeof principals.requester>;
const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const lookup = { name: "lookup", input: { id: "A-1" } };
const policy = definePolicy({ tools: { lookup: allow(), refund: ask() } });

const everyWay = [
  { format: "openai", checkpointing: true },
  { format: "anthropic", replaying: "each-step" },
] as const;

describe.each(everyWay)("an agent with a history and without a network, %o,", (way) => {
  it("keeps the user's message, its calls and their results, and reads them in its next run", async () => {
    await using database = await freshPostgres();
    const { tools } = deskTools();
    const prompts: string[][] = [];
    const script = inTurns({ toolCalls: [lookup] }, { toolCalls: [refund] });
    await using harness = await openHarness({
      database,
      policy,
      ...way,
      tools,
      reply: (conversation) => {
        prompts.push(spoken(conversation.messages));
        return spoken(conversation.messages).at(-1) === "user: Again"
          ? { text: "It is done." }
          : script(conversation);
      },
      run: ({ countersign, agent, state, message }) => {
        Object.assign(agent, { history: countersign.history });
        return countersign.guard(agent).run(message, { state, maxIter: 5 });
      },
    });
    const first = await harness.say("Refund A-1");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(first.runId);
    const kept = [
      "user: Refund A-1",
      "call: lookup",
      'result: {"data":{"id":"A-1","total":80}}',
      "call: refund",
      'result: {"data":{"ok":true}}',
      "agent: Done.",
    ];
    const thread = await harness.countersign.threads.read(first.threadId, requester);
    expect(spokenOf(thread.messages)).toEqual(kept);
    expect(thread.status).toBe("done");
    const second = await harness.say("Again", first.threadId);
    await harness.ended(second.runId);
    expect(prompts.at(-1)).toEqual([...kept, "user: Again"]);
    expect(harness.model.requests.every(({ status }) => status === 200)).toBe(true);
  });

  it("keeps the calls that ran before its run failed", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const prompts: string[][] = [];
    const script = inTurns({ toolCalls: [lookup] }, { toolCalls: [refund] });
    await using harness = await openHarness({
      database,
      policy,
      ...way,
      tools,
      reply: (conversation) => {
        prompts.push(spoken(conversation.messages));
        if (spoken(conversation.messages).at(-1) === "user: Again") return { text: "It is done." };
        const reply = script(conversation);
        if (reply.toolCalls) return reply;
        throw new Error("The provider is down");
      },
      run: ({ countersign, agent, state, message }) => {
        Object.assign(agent, { history: countersign.history });
        return countersign.guard(agent).run(message, { state, maxIter: 5 });
      },
    });
    const { runId, threadId } = await harness.say("Refund A-1");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.onceAtRest(async () => {
      await harness.clock.advance(60_000);
      return (await harness.runStatus(runId)).status === "Failed" ? true : undefined;
    }, "the run has failed");
    const second = await harness.say("Again", threadId);
    await harness.ended(second.runId);
    expect(prompts.at(-1)).toEqual([
      "user: Refund A-1",
      "call: lookup",
      'result: {"data":{"id":"A-1","total":80}}',
      "call: refund",
      'result: {"data":{"ok":true}}',
      "user: Again",
    ]);
    expect(effects).toHaveLength(1);
  });
});

describe("an agent that a tool runs", () => {
  it.each([
    { where: "in the network around it", inNetwork: true, spoken: ["agent: Done."] },
    // Its texts go to the tool alone. Its gated calls belong to the conversation.
    { where: "by itself", inNetwork: false, spoken: [] },
  ])("writes its gated calls and their results to the thread of the network, run $where", async (way) => {
    await using database = await freshPostgres();
    const desk = deskTools();
    await using harness = await openHarness({
      database,
      policy: definePolicy({ tools: { delegate: allow(), refund: ask() } }),
      tools: [],
      reply: (conversation) =>
        conversation.system.includes("clerk")
          ? inTurns({ toolCalls: [refund] })(conversation)
          : inTurns({ toolCalls: [{ name: "delegate", input: {} }] })(conversation),
      network: (network, _step, countersign) => {
        const [manager] = [...network.agents.values()];
        const clerk = countersign.guard(
          createAgent({
            name: "clerk",
            system: "You are the clerk.",
            tools: desk.tools,
            ...(manager?.model ? { model: manager.model } : {}),
          }),
        );
        manager?.tools.set(
          "delegate",
          createTool({
            name: "delegate",
            parameters: z.object({}),
            handler: async (_input, options) => {
              const network = way.inNetwork ? { network: options.network as never } : {};
              await clerk.run("Refund A-1, please", { ...network, maxIter: 3 });
              return "The clerk was asked.";
            },
          }),
        );
        return undefined;
      },
    });
    const { runId, threadId } = await harness.say("Refund A-1");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(runId);
    const thread = await harness.countersign.threads.read(threadId, requester);
    expect(spokenOf(thread.messages)).toEqual([
      "user: Refund A-1",
      "call: refund",
      'result: {"data":{"ok":true}}',
      ...way.spoken,
      "call: delegate",
      'result: {"data":"The clerk was asked."}',
      "agent: Done.",
    ]);
    expect(thread.status).toBe("done");
  });
});
