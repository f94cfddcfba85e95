import { anthropicMessages, gateTool, openAiMessages } from "countersign";
import type { StandardSchema } from "countersign/types";
import { describe, expect, it } from "vitest";
import { calls, openLoop, plainError } from "../support/loops/loop-desk.js";

const reader = { id: "requester", tenantId: "acme", roles: [] };

describe("a turn", () => {
  it("begins once, ends once, and has a text", async () => {
    await using loop = await openLoop(async (gate) => {
      const mistakes = [
        await gate.end("Nothing has begun").catch(plainError),
        await gate.begin(" ").catch(plainError),
      ];
      await gate.begin("go");
      mistakes.push(await gate.begin("and go").catch(plainError));
      await gate.end("Done");
      mistakes.push(await gate.end("Done again").catch(plainError));
      return mistakes;
    });
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject([
      { code: "invalid_context", message: expect.stringContaining("Call gate.begin(message) first") },
      { code: "invalid_request", message: expect.stringContaining("gate.begin(): message:") },
      { code: "invalid_context", message: expect.stringContaining("Call gate.end(text) first") },
      { code: "invalid_context", message: expect.stringContaining("Call gate.begin(message) first") },
    ]);
    const { messages, status } = await loop.harness.countersign.threads.read("thread-1", reader);
    expect(messages.map((message) => ("content" in message ? message.content : null))).toEqual([
      "go",
      "Done",
    ]);
    expect(status).toBe("done");
  });

  it("with arguments that are no object goes on in every provider's form", async () => {
    await using loop = await openLoop(async (gate, { tools }) => {
      await gate.begin("go");
      await gate.calls(tools, calls(["one", "look_up", '{"order":'], ["two", "look_up", "5"]));
      await gate.end("Done");
      const conversation = await gate.begin("and go");
      return [anthropicMessages(conversation), openAiMessages(conversation)];
    });
    const { runId } = await loop.harness.say("go");
    const [anthropic, openai] = (await loop.outputOf(runId)) as [
      ReturnType<typeof anthropicMessages>,
      ReturnType<typeof openAiMessages>,
    ];
    const uses = anthropic.flatMap(({ content }) => content.filter((block) => block.type === "tool_use"));
    expect(uses).toMatchObject([{ input: { input: '{"order":' } }, { input: { input: 5 } }]);
    expect(openai.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "user",
    ]);
    expect(openai[1]).toMatchObject({ tool_calls: [{ function: { arguments: expect.any(String) } }, {}] });
  });
});

describe("a tool with a Standard Schema that is not Zod's", () => {
  const schema = (described: boolean): StandardSchema<{ order: string }> => ({
    "~standard": {
      version: 1,
      vendor: "own",
      validate: (value) => {
        const { order } = Object(value) as { order?: unknown };
        return typeof order === "string" ? { value: { order } } : { issues: [{ message: "Which order?" }] };
      },
      ...(described && {
        jsonSchema: { input: () => ({ type: "object", properties: { order: { type: "string" } } }) },
      }),
    },
  });

  const lookUp = (described: boolean) =>
    gateTool({
      name: "look_up",
      inputSchema: schema(described),
      execute: ({ order }) => `paid for ${order}`,
    });

  it("validates its calls with it", async () => {
    await using loop = await openLoop((gate) =>
      gate.calls([lookUp(true)], calls(["one", "look_up", { order: "A-1" }], ["two", "look_up", {}])),
    );
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject([
      { status: "executed", output: "paid for A-1" },
      { status: "refused", content: expect.stringContaining("Which order?") },
    ]);
  });

  it("is refused if it does not say what JSON Schema it is", async () => {
    await using loop = await openLoop((gate) => gate.calls([lookUp(false)], calls(["one", "look_up", {}])));
    const { runId } = await loop.harness.say("go");
    expect(await loop.outputOf(runId)).toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining("does not say what JSON Schema it is"),
    });
  });
});
