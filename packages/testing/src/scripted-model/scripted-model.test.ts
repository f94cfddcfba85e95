import { anthropic, createAgent, createNetwork, createTool, openai } from "@inngest/agent-kit";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Conversation, ModelFormat } from "./conversation.js";
import type { Reply } from "./reply.js";
import { type ScriptedModel, scriptedModel } from "./scripted-model.js";

const lookUp = createTool({
  name: "look_up",
  description: "Looks something up",
  parameters: z.object({ id: z.string() }),
  handler: ({ id }) => ({ id, found: true }),
});

function adapter(format: ModelFormat, baseUrl: string) {
  return format === "openai"
    ? openai({ model: "scripted", apiKey: "any", baseUrl })
    : anthropic({ model: "scripted", apiKey: "any", baseUrl, defaultParameters: { max_tokens: 100 } });
}

/** Runs a real AgentKit network against the model over HTTP, until an answer has no calls. */
async function converse(model: ScriptedModel, format: ModelFormat) {
  await using server = await model.listen();
  const agent = createAgent({
    name: "a",
    system: "Be brief.",
    tools: [lookUp],
    model: adapter(format, `${server.url}/v1`),
  });
  const network = createNetwork({
    name: "n",
    agents: [agent],
    maxIter: 5,
    router: ({ lastResult }) => (!lastResult || lastResult.toolCalls.length > 0 ? agent : undefined),
  });
  return await network.run("Find both");
}

function twoThenDone(
  conversations: Conversation[],
  ids: [string?, string?] = [],
): (conversation: Conversation) => Reply {
  return (conversation) => {
    conversations.push(conversation);
    if (conversation.messages.at(-1)?.role === "tool") return { text: "Both found" };
    return {
      text: "Looking",
      toolCalls: ["A", "B"].map((id, index) => {
        const forced = ids[index];
        return { ...(forced !== undefined && { id: forced }), name: "look_up", input: { id } };
      }),
    };
  };
}

describe.each<ModelFormat>(["openai", "anthropic"])("AgentKit's %s adapter", (format) => {
  it("handles two calls in one response, and sends both results in a valid request", async () => {
    const conversations: Conversation[] = [];
    const model = scriptedModel({ reply: twoThenDone(conversations) });
    const run = await converse(model, format);

    expect(model.requests.map(({ status }) => status)).toEqual([200, 200]);
    expect(run.state.results.at(-1)?.output).toMatchObject([{ type: "text", content: "Both found" }]);
    const [, assistant, first, second] = conversations[1]?.messages ?? [];
    expect(conversations[1]).toMatchObject({ format, system: "Be brief.", tools: [{ name: "look_up" }] });
    expect(assistant).toMatchObject({
      role: "assistant",
      text: "Looking",
      toolCalls: [
        { name: "look_up", input: { id: "A" } },
        { name: "look_up", input: { id: "B" } },
      ],
    });
    expect(first).toMatchObject({ toolName: "look_up", parsed: { data: { id: "A", found: true } } });
    expect(second).toMatchObject({ toolName: "look_up", parsed: { data: { id: "B", found: true } } });
  });

  it.each([
    ["equal", ["same", "same"]],
    ["empty", ["", ""]],
  ] as [string, [string, string]][])(
    "passes on call ids that a script makes %s, and its next request is refused",
    async (_name, ids) => {
      const model = scriptedModel({ reply: twoThenDone([], ids) });
      await expect(converse(model, format)).rejects.toThrow();
      expect(model.requests.map(({ status }) => status)).toEqual([200, 400]);
    },
  );

  it("receives a script's failure as a server error", async () => {
    const model = scriptedModel({
      reply: () => {
        throw new Error("no line for this");
      },
    });
    await expect(converse(model, format)).rejects.toThrow("The script failed: no line for this");
    expect(model.requests).toMatchObject([{ status: 500 }]);
  });
});

describe("scriptedModel", () => {
  const ask = (model: ScriptedModel, content: string, path = "/v1/chat/completions") =>
    model.fetch(
      new Request(`http://model${path}`, {
        method: "POST",
        headers: { authorization: "Bearer k" },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
      }),
    );
  const ids = async (response: Response) => {
    const body = z
      .object({
        choices: z.array(
          z.object({ message: z.object({ tool_calls: z.array(z.object({ id: z.string() })) }) }),
        ),
      })
      .parse(await response.json());
    return body.choices[0]?.message.tool_calls.map(({ id }) => id);
  };

  it("gives the same conversation the same call ids again, and another conversation other ids", async () => {
    const model = scriptedModel({
      reply: () => ({
        toolCalls: [
          { name: "a", input: {} },
          { name: "a", input: {} },
        ],
      }),
    });
    const once = await ids(await ask(model, "x"));
    expect(new Set(once).size).toBe(2);
    expect(await ids(await ask(model, "x"))).toEqual(once);
    expect(await ids(await ask(model, "y"))).not.toEqual(once);
  });

  it("refuses other addresses and other methods", async () => {
    const model = scriptedModel({ reply: () => ({ text: "ok" }) });
    expect((await ask(model, "x", "/v1/responses")).status).toBe(404);
    expect((await model.fetch(new Request("http://model/v1/messages"))).status).toBe(405);
    expect(model.requests).toEqual([]);
  });

  it("accepts large bodies and unusual text over HTTP", async () => {
    const model = scriptedModel({ reply: ({ messages }) => ({ text: String(messages.length) }) });
    await using server = await model.listen({ port: 0 });
    const content = `${"é😀".repeat(500_000)}\u2028`;
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer k", "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
    });
    expect(response.status).toBe(200);
    expect(model.requests[0]?.body).toMatchObject({ messages: [{ content }] });
  });
});
