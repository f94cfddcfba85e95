import type { Message } from "@inngest/agent-kit";
import { expect, it } from "vitest";
import { uniqueCallIds } from "./call-ids.js";
import { toolCallsOf } from "./tool-calls.js";

const response = (...ids: string[]): Message[] => [
  {
    type: "tool_call",
    role: "assistant",
    stop_reason: "tool",
    tools: ids.map((id) => ({ type: "tool", id, name: "refund", input: {} })),
  },
];

const idsFor = (ids: string[], earlier: string[], name = "req_1") =>
  uniqueCallIds(name, toolCallsOf(response(...ids)), response(...earlier));

it("call ids are kept if each belongs to one call", () => {
  expect(idsFor(["call_a", "call_b"], ["call_c"])).toEqual(["call_a", "call_b"]);
});

it("empty or repeated call ids, and tool names as ids, are replaced by ids of the response", () => {
  const ids = idsFor(["", "call_a", "call_a", "refund"], []);
  expect(ids[1]).toBe("call_a");
  expect(new Set(ids).size).toBe(4);
  for (const id of [ids[0], ids[2], ids[3]]) expect(id).toMatch(/^call_[\w-]{22}$/);
  expect(idsFor(["", "call_a", "call_a", "refund"], [])).toEqual(ids);
  expect(idsFor(["refund"], [], "req_2")).not.toContain(ids[3]);
});

it("the ids of earlier calls of the conversation are replaced", () => {
  expect(idsFor(["call_1", "call_2"], ["call_1"])).toEqual([
    expect.stringMatching(/^call_[\w-]{22}$/),
    "call_2",
  ]);
});
