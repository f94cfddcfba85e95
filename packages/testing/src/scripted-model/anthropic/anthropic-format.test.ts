import { describe, expect, it } from "vitest";
import { scriptedModel } from "../scripted-model.js";

const use = (id: string, input: unknown = { a: 1 }, name = "lookup") => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (id: string, content: unknown = "{}") => ({ type: "tool_result", tool_use_id: id, content });
const text = (value: string) => ({ type: "text", text: value });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const user = (...content: unknown[]) => ({ role: "user", content });
const hi = { role: "user", content: "hi" };
const signed = { "x-api-key": "any", "anthropic-version": "2023-06-01" };

async function post(body: unknown, headers: Record<string, string> = signed) {
  const model = scriptedModel({ reply: () => ({ text: "ok" }) });
  const response = await model.fetch(
    new Request("http://model/v1/messages", {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
  );
  return { status: response.status, body: await response.json(), requests: model.requests };
}

const send = (messages: unknown, more: object = {}) => post({ model: "m", max_tokens: 9, messages, ...more });

describe("an invalid Anthropic request", () => {
  const unanswered = "`tool_use` ids were found without `tool_result` blocks immediately after";
  const cases: [name: string, messages: unknown, message: string][] = [
    ["a call without a result", [hi, assistant(use("t1"))], `messages.1: ${unanswered}: t1.`],
    [
      "one of two calls without a result",
      [hi, assistant(use("t1"), use("t2")), user(result("t1"))],
      `${unanswered}: t2.`,
    ],
    [
      "a result that comes after text",
      [hi, assistant(use("t1")), user(text("so"), result("t1"))],
      `messages.1: ${unanswered}: t1.`,
    ],
    [
      "a result that comes after text of another message of the same turn",
      [hi, assistant(use("t1")), hi, user(result("t1"))],
      `messages.1: ${unanswered}: t1.`,
    ],
    [
      "a result without a call",
      [hi, assistant(text("x")), user(result("t1"))],
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "a result in the first message",
      [user(result("t1"))],
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1.",
    ],
    [
      "two results of one call",
      [hi, assistant(use("t1")), user(result("t1")), user(result("t1"))],
      "messages.3.content.0: each tool_use must have a single result. Found multiple `tool_result` blocks with id: t1",
    ],
    [
      "two calls with one id",
      [hi, assistant(use("t1"), use("t1")), user(result("t1"))],
      "messages.1.content.1: `tool_use` ids must be unique",
    ],
    [
      "an id that an earlier turn had",
      [hi, assistant(use("t1")), user(result("t1")), assistant(use("t1")), user(result("t1"))],
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    ["an empty id", [hi, assistant(use("")), user(result(""))], "messages.1.content.0.id: "],
    ["an id with a dot", [hi, assistant(use("a.b")), user(result("a.b"))], "messages.1.content.0.id: "],
    [
      "input that is a string",
      [hi, assistant(use("t1", '{"a":1}')), user(result("t1"))],
      "messages.1.content.0.input: ",
    ],
    [
      "a call without input",
      [hi, assistant({ type: "tool_use", id: "t1", name: "lookup" }), user(result("t1"))],
      "messages.1.content.0.input: ",
    ],
    [
      "a tool name with a space",
      [hi, assistant(use("t1", {}, "look up")), user(result("t1"))],
      "messages.1.content.0.name: ",
    ],
    [
      "a conversation that the assistant begins",
      [assistant(text("x"))],
      'messages: first message must use the "user" role',
    ],
    ["an empty text", [user(text(""))], "messages: text content blocks must be non-empty"],
    ["a blank text", [user(text(" \n"))], "messages: text content blocks must contain non-whitespace text"],
    [
      "an empty message",
      [{ role: "user", content: "" }],
      "messages.0: all messages must have non-empty content except for the optional final assistant message",
    ],
    ["a call by the user", [user(use("t1"))], "`tool_use` blocks can only be in `assistant` messages"],
    [
      "a result by the assistant",
      [hi, assistant(result("t1"))],
      "`tool_result` blocks can only be in `user` messages",
    ],
    ["a system message", [{ role: "system", content: "s" }], "messages.0.role: "],
    ["an unknown role", [{ role: "tool", content: "s" }], "messages.0.role: "],
    ["a message without content", [{ role: "user" }], "messages.0.content: "],
    ["an unknown block", [user({ type: "tool" })], "messages.0.content.0.type: "],
    [
      "a field that the block does not have",
      [user({ type: "text", text: "x", extra: 1 })],
      'messages.0.content.0: Unrecognized key: "extra"',
    ],
    ["a text that is not a string", [user({ type: "text", text: 1 })], "messages.0.content.0.text: "],
    ["no messages", undefined, "messages: "],
    ["an empty list of messages", [], "messages: at least one message is required"],
  ];

  it.each(cases)("is refused for %s", async (_name, messages, message) => {
    const { status, body, requests } = await send(messages);
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(body.error.message).toContain(message);
    expect(requests).toMatchObject([{ format: "anthropic", status: 400, error: body.error.message }]);
  });

  it.each([
    [{ max_tokens: 9, messages: [hi] }, /^model: /],
    [{ model: "m", messages: [hi] }, /^max_tokens: /],
    [{ model: "m", max_tokens: 0, messages: [hi] }, /^max_tokens: /],
    [{ model: "m", max_tokens: "9", messages: [hi] }, /^max_tokens: /],
    [
      {
        model: "m",
        max_tokens: 9,
        messages: [hi],
        tools: [{ name: "a b", input_schema: { type: "object" } }],
      },
      /^tools\.0\.name: /,
    ],
    [
      { model: "m", max_tokens: 9, messages: [hi], tools: [{ name: "a", input_schema: { type: "string" } }] },
      /^tools\.0\.input_schema\.type: /,
    ],
  ])("is refused: %j", async (request, message) => {
    const { status, body } = await post(request);
    expect(status).toBe(400);
    expect(body.error.message).toMatch(message);
  });

  it("is refused if its body is not JSON", async () => {
    expect((await post("{")).status).toBe(400);
  });

  it("is refused without a key", async () => {
    const { status, body } = await post({ model: "m", max_tokens: 9, messages: [hi] }, {});
    expect(status).toBe(401);
    expect(body.error).toEqual({ type: "authentication_error", message: "x-api-key header is required" });
  });

  it("may have its key in either header", async () => {
    const headers = { authorization: "Bearer any", "anthropic-version": "2023-06-01" };
    expect((await post({ model: "m", max_tokens: 9, messages: [hi] }, headers)).status).toBe(200);
  });

  it("is refused without a version", async () => {
    const { status, body } = await post(
      { model: "m", max_tokens: 9, messages: [hi] },
      { "x-api-key": "any" },
    );
    expect([status, body.error.message]).toEqual([400, "anthropic-version: header is required"]);
  });
});

describe("a valid Anthropic request", () => {
  it("may spread calls and results over messages of one role, and have text after the results", async () => {
    const { status } = await send([
      hi,
      assistant(text("let me see")),
      assistant(use("t1")),
      assistant(use("t2")),
      user(result("t2")),
      user(result("t1", [text("x")]), text("and then?")),
      assistant(text("done")),
      hi,
    ]);
    expect(status).toBe(200);
  });

  it("is answered with a message", async () => {
    const model = scriptedModel({
      reply: () => ({ text: "one moment", toolCalls: [{ name: "lookup", input: { id: "A-1" } }] }),
    });
    const response = await model.fetch(
      new Request("http://model/messages", {
        method: "POST",
        headers: signed,
        body: JSON.stringify({ model: "claude", max_tokens: 9, messages: [hi] }),
      }),
    );
    expect(await response.json()).toMatchObject({
      type: "message",
      role: "assistant",
      model: "claude",
      stop_reason: "tool_use",
      content: [
        text("one moment"),
        {
          type: "tool_use",
          id: expect.stringMatching(/^toolu_\w{24}$/),
          name: "lookup",
          input: { id: "A-1" },
        },
      ],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
  });
});
