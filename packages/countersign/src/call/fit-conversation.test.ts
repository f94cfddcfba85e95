import type { Message, ToolMessage, ToolResultMessage } from "@inngest/agent-kit";
import { expect, it } from "vitest";
import { fitConversation, fitResult } from "./fit-conversation.js";

const tool: ToolMessage = { type: "tool", id: "call_1", name: "read", input: {} };
const result = (data: string): ToolResultMessage => ({
  type: "tool_result",
  role: "tool_result",
  stop_reason: "tool",
  tool,
  content: { data },
});
const question: Message = { type: "text", role: "user", content: "x".repeat(500) };

it("a conversation that fits is unchanged", () => {
  const messages = [question, result("y".repeat(2000)), question];
  expect(fitConversation(messages, 4000)).toBe(messages);
});

it("the oldest large results are omitted first, and no more than needed", () => {
  const messages = [question, result("small"), result("a".repeat(2000)), result("b".repeat(2000)), question];
  const fitting = fitConversation(messages, 4000);
  expect(fitting[2]).toMatchObject({
    tool,
    content: { left_out: expect.stringContaining("Its result of 2.0 kB is omitted") },
  });
  expect(fitting.filter((_message, index) => index !== 2)).toEqual(
    messages.filter((_message, index) => index !== 2),
  );
  expect(messages[2]).toEqual(result("a".repeat(2000)));
});

it.each([
  ["plain text", "x".repeat(996), "x".repeat(997)],
  ["text whose quotes are escaped twice", { a: '"'.repeat(247) }, { a: '"'.repeat(248) }],
  ["text of three bytes a character", "漢".repeat(332), "漢".repeat(333)],
])(
  "a result is replaced by a message only if it is too large in its encoded form: %s",
  (_kind, fitting, tooLarge) => {
    expect(fitResult(fitting, 1002)).toBe(fitting);
    expect(fitResult(tooLarge, 1002)).toMatch(/^The tool ran; its result of [\d.]+ (bytes|kB) is too large/);
  },
);

it("a result that JSON cannot hold is unchanged, for AgentKit to handle", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  expect(fitResult(circular, 1)).toBe(circular);
  expect(fitResult(undefined, 1)).toBe(undefined);
});
