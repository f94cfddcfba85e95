import type { ApprovalView } from "countersign/client";
import { expect, it } from "vitest";
import { cardOf, descriptorOf } from "./chat-approval.js";

/** What a chat reads of a waiting call. */
const waiting = {
  id: "apr_1",
  toolCallId: "call_1",
  toolName: "run",
  label: "Run",
  names: { script: "Script" },
  status: "pending",
  digest: "digest-1",
  summary: "Run a script",
  risk: "medium",
  reasons: [],
  overBudget: null,
  editedInput: null,
  approvers: { roles: [], ids: [] },
  quorum: 1,
  votes: [],
  decision: null,
  mayDecide: true,
  flags: [],
  flagsTruncated: false,
  checks: [],
  codePreview: null,
  preview: null,
  counts: [],
  expiresAt: null,
  undo: null,
} as Partial<ApprovalView> as ApprovalView;

const inChat = (approval: ApprovalView) =>
  cardOf({ approval, asks: true }, { urlOf: () => null, refusals: new Map() });

it("a chat says what the call would change and what was counted as the API does, also after an edit", () => {
  const preview = { failed: null, effects: [{ target: "order A-1" }], reversible: "30m" };
  const count = { tool: "run", amount: null, per: "requester", window: "1h", limit: 10, total: 3 };
  const counted = { text: "3 of 10", condition: 'calls("run", "1h")', unit: null };
  const counts = [{ ...count, ...counted, hidden: false, exceeds: false }];
  const shown = { ...waiting, preview, counts };
  expect(descriptorOf(shown, null)).toMatchObject({ preview, counts });
  expect(inChat(shown)).toMatchObject({ preview, counts });
  expect(inChat({ ...shown, editedInput: { id: "A-2" } })).toMatchObject({ preview, counts });
});

it("a chat says which tools a script appears to call until an edit replaces the script", () => {
  const call = { ...waiting, codePreview: [{ toolName: "read_file", line: 1, column: 1 }] };
  const { codePreview } = descriptorOf(call, null);
  expect(codePreview).toMatch(/^This code appears to use: read_file \(line 1\)\./);
  expect(inChat(call)?.codePreview).toBe(codePreview);
  expect(inChat({ ...call, editedInput: { code: "" } })?.codePreview).toBeNull();
});

it("a chat says why a call is asked that does not fit into a budget", () => {
  const budget = { grantId: "grt_1", total: 100, used: 0, each: null, unit: "EUR", amount: 800 };
  expect(descriptorOf({ ...waiting, overBudget: budget }, null).reasons).toEqual([
    "A standing permission covers this kind, but 0 of 100 EUR are used, and this one asks for 800 EUR.",
  ]);
});

it("a chat has what the rules call the call and its arguments", () => {
  const words = { label: "Run", names: { script: "Script" } };
  expect(descriptorOf(waiting, null)).toMatchObject(words);
  expect(inChat(waiting)).toMatchObject({ ...words, toolName: "run" });
});
