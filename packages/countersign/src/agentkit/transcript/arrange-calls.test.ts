import type { Message } from "@inngest/agent-kit";
import { expect, it } from "vitest";
import { arrangeCalls } from "./arrange-calls.js";

const question: Message = { type: "text", role: "user", content: "Refund both" };
const words: Message = { type: "text", role: "assistant", content: "I refund them" };

function call(...ids: string[]): Message {
  const tools = ids.map((id) => ({ type: "tool" as const, id, name: "refund", input: { id } }));
  return { type: "tool_call", role: "assistant", stop_reason: "tool", tools };
}

function result(id: string, content = "done"): Message {
  const tool = { type: "tool" as const, id, name: "refund", input: {} };
  return { type: "tool_result", role: "tool_result", stop_reason: "tool", tool, content };
}

it("calls that are answered together are joined, right before their results", () => {
  const messages = [question, call("a"), words, call("b"), result("a"), result("b")];
  expect(arrangeCalls(messages, "openai-chat")).toEqual([
    ...[question, words, call("a", "b"), result("a"), result("b")],
  ]);
});

it("calls for Gemini get a message each, right before their results", () => {
  const messages = [question, call("a", "b"), result("b"), result("a"), words];
  expect(arrangeCalls(messages, "gemini")).toEqual([
    ...[question, call("a"), result("a"), call("b"), result("b"), words],
  ]);
});

it("calls that share an id, and calls without a result, are kept apart", () => {
  const messages = [call("x"), result("x", "first"), call("x", "open"), result("x", "second")];
  expect(arrangeCalls(messages, "gemini")).toEqual([
    ...[call("x"), result("x", "first"), call("x"), result("x", "second"), call("open")],
  ]);
});
