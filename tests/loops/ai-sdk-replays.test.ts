import { randomUUID } from "node:crypto";
import { createTool } from "@inngest/agent-kit";
import { generateText, stepCountIs, streamText, type ToolSet, tool } from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { durableModel, fromAgentKit, guardTools } from "countersign/ai-sdk";
import { expect, it } from "vitest";
import { z } from "zod";
import { openAgent } from "../support/loops/ai-agent.js";

/** The same model, which looks an order up in its first answer. */
function lookingUp(model: MockLanguageModelV3): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doGenerate: async (options) => {
      const answer = await model.doGenerate(options);
      if (options.prompt.some(({ role }) => role === "tool")) return answer;
      const call = { type: "tool-call" as const, toolCallId: "inner", toolName: "look_up" };
      return { ...answer, content: [{ ...call, input: '{"order":"A-7"}' }] };
    },
  });
}

const stopWhen = stepCountIs(5);
const refund: [string, object] = ["refund", { order: "A-1", amount: 80 }];

it("without durableModel, no guarded tool runs, and the turn fails", async () => {
  await using agent = await openAgent([refund, ["look_up", { order: "A-1" }]], async (world) => {
    const { base: model, tools, gate } = world;
    await gate.begin("go");
    const { text } = await generateText({ model, tools, prompt: "go", stopWhen });
    await gate.end(text);
  });
  const { runId } = await agent.harness.say("go");
  const { output } = await agent.harness.ended(runId, "Failed");
  expect(JSON.stringify(output)).toContain("durableModel(model, step)");
  expect(agent.ran).toEqual([]);
  expect(await agent.asked()).toEqual([]);
});

it("a schema whose default is another value each time asks once, and runs once", async () => {
  const keys: string[] = [];
  const tools = {
    refund: tool({
      inputSchema: z.object({ order: z.string(), key: z.string().default(() => randomUUID()) }),
      execute: async ({ key }) => keys.push(key),
    }),
  };
  await using agent = await openAgent(
    [["refund", { order: "A-1" }]],
    async ({ model, gate }) => {
      const { text } = await generateText({ model, tools: guardTools(tools, gate), prompt: "go", stopWhen });
      return text;
    },
    { replaying: "each-step" },
  );
  const { runId } = await agent.harness.say("go");
  await agent.harness.decide(await agent.harness.onlyPending(), "approve");
  expect((await agent.harness.ended(runId)).output).toBe("Done");
  expect(keys).toHaveLength(1);
  expect(await agent.asked()).toHaveLength(1);
});

it("streamText fails the run if the model fails after the first response", async () => {
  await using agent = await openAgent([["look_up", { order: "A-1" }]], async ({ base, tools, run }) => {
    let asked = 0;
    const failing = new Proxy(base, {
      get(target, name) {
        if (name !== "doStream") return Reflect.get(target, name, target);
        return (options: Parameters<typeof target.doStream>[0]) => {
          if (asked++ === 0) return target.doStream(options);
          throw Object.assign(new Error("The key was revoked"), { isRetryable: false });
        };
      },
    });
    return streamText({ model: durableModel(failing, run.step), tools, prompt: "go", stopWhen }).text;
  });
  const { runId } = await agent.harness.say("go");
  const { output } = await agent.harness.ended(runId, "Failed");
  expect(JSON.stringify(output)).toContain("The key was revoked");
});

it("an agent inside of a durable tool uses the same tools, and the thread has all results", async () => {
  const reads: string[] = [];
  await using agent = await openAgent([["write", {}]], async ({ model, gate, run, base }) => {
    await gate.begin("go");
    let inner: ToolSet = {};
    const tools = guardTools(
      {
        look_up: tool({
          inputSchema: z.object({ order: z.string() }),
          execute: async ({ order }) => `paid for ${order} ${reads.push(order)}`,
        }),
        write: tool({
          inputSchema: z.object({}),
          execute: async (): Promise<string> => {
            const model = durableModel(lookingUp(base), run.step, { id: "sub" });
            const { text } = await generateText({ model, tools: inner, prompt: "look", stopWhen });
            return text;
          },
        }),
      },
      gate,
      { durable: ["write"] },
    );
    inner = { look_up: tools.look_up };
    const { text } = await generateText({ model, tools, prompt: "go", stopWhen });
    await gate.end(text);
    return text;
  });
  const { runId, threadId } = await agent.harness.say("go");
  expect((await agent.harness.ended(runId)).output).toBe("Done");
  expect(reads).toEqual(["A-7"]);
  const reader = { id: "requester", tenantId: "acme", roles: [] };
  const { messages } = await agent.harness.countersign.threads.read(threadId, reader);
  expect(messages.filter(({ role }) => role === "tool")).toMatchObject([
    { toolName: "look_up", content: { data: "paid for A-7 1" } },
    { toolName: "write", content: { data: "Done" } },
  ]);
});

it("AgentKit's tools are durable if guardTools says so, and keep their names", async () => {
  await using agent = await openAgent([refund], async ({ model, gate, run }) => {
    const own = createTool({
      name: "refund",
      parameters: z.object({ order: z.string() }),
      handler: ({ order }) => run.step.run("pay", () => `paid ${order}`),
    });
    const renamed = () => guardTools({ pay_back: fromAgentKit(own) }, gate);
    expect(renamed).toThrow('"pay_back": is "refund" in AgentKit');
    const tools = guardTools({ refund: fromAgentKit(own) }, gate, { durable: ["refund"] });
    return (await generateText({ model, tools, prompt: "go", stopWhen })).text;
  });
  const { runId } = await agent.harness.say("go");
  await agent.harness.decide(await agent.harness.onlyPending(), "approve");
  expect((await agent.harness.ended(runId)).output).toBe("Done");
  expect(JSON.stringify(agent.prompts[1])).toContain("paid A-1");
});
