import { describe, expect, it } from "vitest";
import { scriptedModel } from "../scripted-model.js";

const call = (id: string, name = "lookup", args: unknown = '{"a":1}') => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const asks = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
const result = (id: string, content: unknown = "{}") => ({ role: "tool", tool_call_id: id, content });
const user = { role: "user", content: "hi" };
const tool = (parameters: unknown, strict = true) => ({
  type: "function",
  function: { name: "lookup", parameters, strict },
});

async function post(body: unknown, headers: Record<string, string> = { authorization: "Bearer any" }) {
  const model = scriptedModel({ reply: () => ({ text: "ok" }) });
  const response = await model.fetch(
    new Request("http://model/v1/chat/completions", {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
  return { status: response.status, body: await response.json(), requests: model.requests };
}

const send = (messages: unknown, more: object = {}) => post({ model: "m", messages, ...more });

describe("an invalid OpenAI request", () => {
  const unanswered = "An assistant message with 'tool_calls' must be followed by tool messages";
  const orphan = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  const cases: [name: string, messages: unknown, message: string, param: string | null][] = [
    ["a call without a result", [user, asks(call("c1"))], unanswered, "messages.[2].role"],
    [
      "a call whose result comes after another message",
      [user, asks(call("c1")), user, result("c1")],
      unanswered,
      "messages.[2].role",
    ],
    [
      "one of two calls without a result",
      [user, asks(call("c1"), call("c2")), result("c1")],
      "did not have response messages: c2",
      "messages.[3].role",
    ],
    ["a result without a call", [user, result("c1")], orphan, "messages.[1].role"],
    [
      "a result of a call of an earlier turn",
      [user, asks(call("c1")), result("c1"), { role: "assistant", content: "x" }, result("c1")],
      orphan,
      "messages.[4].role",
    ],
    [
      "a result of another call",
      [user, asks(call("c1")), result("c2")],
      "'tool_call_id' of 'c2' not found in 'tool_calls' of previous message",
      "messages.[2].tool_call_id",
    ],
    [
      "two results of one call",
      [user, asks(call("c1")), result("c1"), result("c1")],
      "Duplicate value for 'tool_call_id' of 'c1', in messages[2] and messages[3].",
      "messages.[3].tool_call_id",
    ],
    [
      "two calls with one id",
      [user, asks(call("c1"), call("c1")), result("c1")],
      "Duplicate value for 'tool_call_id' of 'c1'",
      "messages.[1].tool_calls[1].id",
    ],
    [
      "an id that an earlier turn had",
      [user, asks(call("c1")), result("c1"), asks(call("c1")), result("c1")],
      "in messages[1] and messages[3]",
      "messages.[3].tool_calls[0].id",
    ],
    [
      "an empty id",
      [user, asks(call("")), result("")],
      "messages.1.tool_calls.0.id: ",
      "messages.1.tool_calls.0.id",
    ],
    [
      "an id of more than 40 characters",
      [user, asks(call("c".repeat(41))), result("c".repeat(41))],
      "messages.1.tool_calls.0.id: ",
      "messages.1.tool_calls.0.id",
    ],
    ["an empty list of calls", [user, asks()], "messages.1.tool_calls: ", "messages.1.tool_calls"],
    [
      "arguments that are an object",
      [user, asks(call("c1", "lookup", { a: 1 })), result("c1")],
      "messages.1.tool_calls.0.function.arguments: ",
      "messages.1.tool_calls.0.function.arguments",
    ],
    [
      "arguments that are not JSON",
      [user, asks(call("c1", "lookup", "{a")), result("c1")],
      "invalid JSON",
      "messages[1].tool_calls[0].function.arguments",
    ],
    [
      "a tool name with a space",
      [user, asks(call("c1", "look up")), result("c1")],
      "messages.1.tool_calls.0.function.name: ",
      "messages.1.tool_calls.0.function.name",
    ],
    [
      "a tool name of more than 64 characters",
      [user, asks(call("c1", "n".repeat(65))), result("c1")],
      "messages.1.tool_calls.0.function.name: ",
      "messages.1.tool_calls.0.function.name",
    ],
    [
      "an assistant message without content and calls",
      [user, { role: "assistant", content: null }],
      "Invalid value for 'content': expected a string, got null.",
      "messages.[1].content",
    ],
    ["content that is null", [{ role: "user", content: null }], "messages.0.content: ", "messages.0.content"],
    ["an unknown role", [{ role: "tool_result", content: "x" }], "messages.0.role: ", "messages.0.role"],
    ["a message without a role", [{ content: "x" }], "messages.0.role: ", "messages.0.role"],
    [
      "a result that names no call",
      [user, asks(call("c1")), { role: "tool", content: "x" }],
      "messages.2.tool_call_id: ",
      "messages.2.tool_call_id",
    ],
    ["no messages", undefined, "messages: ", "messages"],
    ["an empty list of messages", [], "messages: ", "messages"],
  ];

  it.each(cases)("is refused for %s", async (_name, messages, message, param) => {
    const { status, body, requests } = await send(messages);
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
    expect(body.error).toMatchObject({ type: "invalid_request_error", param });
    expect(requests).toMatchObject([{ format: "openai", status: 400, error: body.error.message }]);
  });

  it("is refused without a model", async () => {
    const { status, body } = await post({ messages: [user] });
    expect([status, body.error.param]).toEqual([400, "model"]);
  });

  it("is refused if its body is not JSON", async () => {
    expect((await post("{")).status).toBe(400);
  });

  it.each([{}, { authorization: "Bearer " }, { "x-api-key": "any" }])(
    "is refused without a key: %j",
    async (headers) => {
      const { status, body } = await post(
        { model: "m", messages: [user] },
        headers as Record<string, string>,
      );
      expect(status).toBe(401);
      expect(body.error.type).toBe("invalid_request_error");
    },
  );

  it("is refused if it asks for streaming", async () => {
    expect((await send([user], { stream: true })).status).toBe(400);
  });

  const strict: [name: string, parameters: unknown, message: string][] = [
    [
      "an optional parameter",
      { type: "object", properties: { a: {}, b: {} }, required: ["a"], additionalProperties: false },
      "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'b'.",
    ],
    [
      "an open object",
      {
        type: "object",
        properties: { a: { type: "object", properties: {} } },
        required: ["a"],
        additionalProperties: false,
      },
      "In context=('properties', 'a'), 'additionalProperties' is required to be supplied and to be false.",
    ],
    [
      "a forbidden keyword",
      {
        type: "object",
        properties: { a: { type: "array", items: { oneOf: [] } } },
        required: ["a"],
        additionalProperties: false,
      },
      "In context=('properties', 'a', 'items'), 'oneOf' is not permitted.",
    ],
    ["a root that is not an object", { type: "string" }, "got 'type: \"string\"'"],
  ];

  it.each(strict)("is refused for a strict tool with %s", async (_name, parameters, message) => {
    const { status, body } = await send([user], { tools: [tool(parameters)] });
    expect(status).toBe(400);
    expect(body.error.message).toContain("Invalid schema for function 'lookup'");
    expect(body.error.message).toContain(message);
    expect(body.error.code).toBe("invalid_function_parameters");
  });
});

describe("a valid OpenAI request", () => {
  it("may have results in any order, text beside calls, and content in parts", async () => {
    const { status } = await send([
      { role: "system", content: "s" },
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: "let me see", tool_calls: [call("c1"), call("c2")] },
      result("c2"),
      result("c1", [{ type: "text", text: "x" }]),
      { role: "assistant", content: "" },
      user,
    ]);
    expect(status).toBe(200);
  });

  it("may have a tool with optional parameters that is not strict", async () => {
    const parameters = { type: "object", properties: { a: {} } };
    expect((await send([user], { tools: [tool(parameters, false)] })).status).toBe(200);
  });

  it("is answered with a chat completion", async () => {
    const model = scriptedModel({
      reply: () => ({ text: "one moment", toolCalls: [{ name: "lookup", input: { id: "A-1" } }] }),
    });
    const response = await model.fetch(
      new Request("http://model/chat/completions", {
        method: "POST",
        headers: { authorization: "Bearer k" },
        body: JSON.stringify({ model: "gpt", messages: [user] }),
      }),
    );
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      model: "gpt",
      choices: [
        {
          index: 0,
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: "one moment",
            tool_calls: [
              {
                id: expect.stringMatching(/^call_\w{24}$/),
                type: "function",
                function: { name: "lookup", arguments: '{"id":"A-1"}' },
              },
            ],
          },
        },
      ],
      usage: { total_tokens: expect.any(Number) },
    });
  });
});
