import type { ApprovalView } from "countersign/client";
import { expect, it } from "vitest";
import { withApprovals } from "./messages.js";

const approval = (id: string, toolCallId: string, amount: number) =>
  ({
    id,
    requestId: `req_${id}`,
    toolCallId,
    toolName: "refund",
    input: { amount },
    editedInput: null,
    status: "pending",
    yourDecisions: ["approve", "deny"],
    redacted: [],
    redactedPatterns: [],
    stop: null,
    createdAt: "2026-01-01T00:00:00.000Z",
  }) as unknown as ApprovalView;

const part = (toolCallId: string, amount: number) => ({
  type: "tool-call",
  toolCallId,
  toolName: "refund",
  state: "executing",
  input: { amount },
});

const messageWith = (...parts: unknown[]) => ({
  id: "msg_1",
  role: "assistant",
  parts,
  timestamp: new Date("2026-01-01T00:00:00Z"),
});

it("an approval is added to the part of its call", () => {
  const [message, ...others] = withApprovals(
    [messageWith(part("call_a", 10), part("call_b", 20))],
    [approval("apr_1", "call_b", 20)],
  );
  expect(others).toEqual([]);
  expect(message?.parts).toMatchObject([
    part("call_a", 10),
    { toolCallId: "call_b", state: "awaiting-approval", input: { amount: 20 }, approval: { id: "apr_1" } },
  ]);
});

it.each([
  {
    what: "two calls have its id",
    parts: [part("refund", 10)],
    approvals: [approval("apr_2", "refund", 500), approval("apr_1", "refund", 10)],
  },
  {
    what: "two parts have its id",
    parts: [part("refund", 10), part("refund", 500)],
    approvals: [approval("apr_2", "refund", 500)],
  },
])("an approval gets a message of its own, with its own arguments, if $what", ({ parts, approvals }) => {
  const [message, ...others] = withApprovals([messageWith(...parts)], approvals);
  expect(message?.parts).toEqual(parts);
  expect(others.map((other) => other.parts)).toMatchObject(
    approvals.map(({ id, input }) => [{ state: "awaiting-approval", input, approval: { id } }]),
  );
});
