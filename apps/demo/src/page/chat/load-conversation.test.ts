import { describe, expect, it } from "vitest";
import { conversationOf } from "./load-conversation.js";
import { itemsOf } from "./messages.js";

type Stored = Parameters<typeof conversationOf>[0];

const lookUp: Stored["messages"] = [
  { role: "user", content: "Look up A-1" },
  {
    role: "assistant",
    agentName: "support",
    toolCalls: [{ id: "call_1", name: "lookup", input: { id: "A-1" } }],
  },
  { role: "tool", toolCallId: "call_1", toolName: "lookup", content: { data: { total: 5 } } },
  { role: "assistant", agentName: "support", content: "It costs 5 EUR." },
];

const thread = (status: Stored["status"], messages: Stored["messages"]): Stored => ({
  id: "t",
  status,
  messages,
});

describe("conversationOf", () => {
  it("joins a turn's calls, results and texts in one message", () => {
    const { messages, isRunning } = conversationOf(thread("done", lookUp), []);
    expect(isRunning).toBe(false);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const [, answer] = messages;
    expect(answer && itemsOf(answer)).toMatchObject([
      {
        kind: "call",
        call: { toolName: "lookup", part: { state: "output-available", output: { total: 5 } } },
      },
      { kind: "text", text: "It costs 5 EUR." },
    ]);
  });

  it("keeps only the user message of a running turn, because the stream brings the rest", () => {
    const running: Stored["messages"] = [
      ...lookUp,
      { role: "user", content: "And A-2?" },
      ...lookUp.slice(1, 2),
    ];
    const { messages, isRunning } = conversationOf(thread("waiting", running), []);
    expect(isRunning).toBe(true);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(3);
  });

  it("shows the message of a tool's error", () => {
    const failed: Stored["messages"] = [
      ...lookUp.slice(0, 2),
      {
        role: "tool",
        toolCallId: "call_1",
        toolName: "lookup",
        content: { error: { message: "No such order" } },
      },
    ];
    const [, answer] = conversationOf(thread("failed", failed), []).messages;
    expect(answer && itemsOf(answer)).toMatchObject([
      { call: { part: { state: "output-error", errorText: "No such order" } } },
    ]);
  });
});
