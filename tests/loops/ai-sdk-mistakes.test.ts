import { generateText, jsonSchema, stepCountIs, type ToolSet, tool } from "ai-6";
import { durableModel, guardTools } from "countersign/ai-sdk";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentWorld, kinds, openAgent } from "../support/loops/ai-agent.js";
import { plainError } from "../support/loops/loop-desk.js";

const inputSchema = z.object({});
const asUnknown = (tool: object) => tool as ToolSet[string];

const mistakes: [name: string, body: (world: AgentWorld) => unknown, code: string, says: RegExp][] = [
  [
    "a tool without a schema",
    ({ gate }) => guardTools({ pay: asUnknown({ execute: () => 1 }) }, gate),
    "invalid_option",
    /The tool "pay": inputSchema: is missing\. Give a schema of Zod.* or jsonSchema\(\)/,
  ],
  [
    "a tool that uses steps and is not durable",
    ({ gate, run: { step } }) =>
      guardTools({ pay: tool({ inputSchema, execute: () => step.run("pay", async () => 1) }) }, gate),
    "invalid_option",
    /The tool "pay": execute calls step\.run.*\{ durable: \["pay"\] \}/,
  ],
  [
    "an option for a tool that there is not",
    ({ gate, own }) => guardTools(own, gate, { durable: ["pay" as "refund"] }),
    "invalid_option",
    /durable: there is no tool "pay"\. There are: look_up, refund, write/,
  ],
  [
    "no gate",
    ({ own }) => guardTools(own, {} as never),
    "invalid_option",
    /gate: must be the result of countersign\.gate\(\{ step \}\)/,
  ],
  [
    "the name of a model",
    ({ run: { step } }) => durableModel("openai/gpt-5" as never, step),
    "invalid_option",
    /"openai\/gpt-5" is only the name of one\. Pass the model itself/,
  ],
  [
    "a model without step tools",
    ({ base }) => durableModel(base, {} as never),
    "invalid_option",
    /step: must be the step tools/,
  ],
];

describe("a mistake in an agent of the AI SDK", () => {
  it.each(mistakes)("%s: is an error before the model is asked", async (_name, body, code, says) => {
    await using agent = await openAgent([["refund", { order: "A-1" }]], async (world) => {
      try {
        return body(world);
      } catch (error) {
        return plainError(error as Error);
      }
    });
    const { runId } = await agent.harness.say("go");
    expect((await agent.harness.ended(runId)).output).toEqual({ code, message: expect.stringMatching(says) });
    expect(agent.prompts).toEqual([]);
  });

  it.each<[string, Parameters<typeof openAgent>[0]]>([
    [
      "the same arguments",
      [
        ["refund", { order: "A-1" }, "same"],
        ["look_up", { order: "A-1" }, "same"],
      ],
    ],
    [
      "other arguments",
      [
        ["refund", { order: "A-1" }, "same"],
        ["refund", { order: "A-2" }, "same"],
      ],
    ],
    [
      "a neighbour that runs",
      [
        ["refund", { order: "A-1" }, "same"],
        ["look_up", { order: "A-3" }, "other"],
        ["refund", { order: "A-2" }, "same"],
      ],
    ],
  ])(
    "two calls of one response with one id and %s: the model reads so, and nobody is asked",
    async (_what, calls) => {
      await using agent = await openAgent(calls, (world) => kinds.generateText(world));
      const { runId } = await agent.harness.say("go");
      expect((await agent.harness.ended(runId)).output).toBe("Done");
      const read = JSON.stringify(agent.prompts[1]);
      expect(read.match(/another call of the same response has its id/g)).toHaveLength(2);
      expect(await agent.asked()).toEqual([]);
      expect(agent.ran).toHaveLength(calls.length - 2);
      const log = await agent.harness.store.listAudit({ tenantId: "acme", limit: 500 });
      expect(log.filter(({ type }) => type === "call.refused")).toHaveLength(2);
    },
  );

  it("tools that were guarded in another run: end the run, and nobody is asked", async () => {
    let first: AgentWorld["tools"] | undefined;
    await using agent = await openAgent([["refund", { order: "A-1" }]], ({ model, tools, run }) => {
      if (run.message === "first") {
        first = tools;
        return Promise.resolve("kept");
      }
      if (!first) throw new Error("The first run comes first");
      return kinds.generateText({ model, tools: first });
    });
    const before = await agent.harness.say("first");
    await agent.harness.ended(before.runId);
    const { runId } = await agent.harness.say("second");
    const { output } = await agent.harness.ended(runId, "Failed");
    expect(output).toMatchObject({ message: expect.stringMatching(/"refund" outside of the run/) });
    expect(await agent.asked()).toEqual([]);
    expect(agent.ran).toEqual([]);
  });

  it("a call of an unknown tool: the model reads so, and nobody is asked", async () => {
    await using agent = await openAgent([["bribe", {}]], (world) => kinds.generateText(world));
    const { runId } = await agent.harness.say("go");
    expect((await agent.harness.ended(runId)).output).toBe("Done");
    expect(JSON.stringify(agent.prompts[1])).toMatch(/unavailable tool 'bribe'.*look_up, refund, write/);
    expect(await agent.asked()).toEqual([]);
  });

  it("arguments that the schema refuses: the model reads so, and nobody is asked", async () => {
    await using agent = await openAgent([["pay", { amount: "many" }]], ({ model, gate }) => {
      const schema = jsonSchema<{ amount: number }>({
        type: "object",
        properties: { amount: { type: "number" } },
        required: ["amount"],
      });
      // The AI SDK itself does not check such a schema.
      const tools = guardTools({ pay: tool({ inputSchema: schema, execute: () => "paid" }) }, gate);
      return generateText({ model, tools, prompt: "go", stopWhen: stepCountIs(3) }).then(({ text }) => text);
    });
    const { runId } = await agent.harness.say("go");
    expect((await agent.harness.ended(runId)).output).toBe("Done");
    expect(JSON.stringify(agent.prompts[1])).toMatch(/arguments of this call of pay are not valid.*amount/);
    expect(await agent.asked()).toEqual([]);
  });
});
