import type { ChatApproval } from "@countersign/chat/ai-sdk";
import { describe, expect, it } from "vitest";
import { approversText, callText, timeLeft } from "./call-text.js";

const approval: ChatApproval = {
  approvalId: "apr_1",
  digest: "d",
  toolCallId: "call_1",
  label: null,
  names: {},
  toolName: "issue_refund",
  summary: "Refund 5 EUR",
  status: "pending",
  decidableHere: false,
  mayDecide: false,
  approvers: { roles: [], ids: [] },
  approvalsNeeded: 1,
  decidedBy: null,
  reason: null,
  editedInput: null,
  expiresAt: null,
  flags: [],
  flagsTruncated: false,
  codePreview: null,
  checks: [],
  preview: null,
  counts: [],
  undo: null,
  url: null,
  refused: null,
};

describe("callText", () => {
  it.each([
    [{ approvalsNeeded: 2 }, "Waiting for 2 people."],
    [{ status: "executed", decidedBy: "finance" }, "Finance approved. It ran once."],
    [
      { status: "executed", decidedBy: "finance", editedInput: { amount: 20 } },
      "Finance approved it with changes. It ran once.",
    ],
    [{ status: "executed" }, "It ran. People were notified."],
    [
      {
        status: "executed",
        undo: {
          within: "10m",
          until: null,
          mayUndo: false,
          undoId: "apr_2",
          undoneAt: "2026-01-01T00:00:00Z",
        },
      },
      "It ran once, and was undone.",
    ],
    [{ status: "denied", decidedBy: "lead" }, "Lead denied this. It did not run."],
    [{ status: "denied" }, "The policy forbids this. It did not run."],
    [{ status: "interrupted", decidedBy: "lead" }, "The call was interrupted. It may or may not have run."],
  ] as const)("describes %j", (given, text) => {
    expect(callText({ ...approval, ...given }).text).toBe(text);
  });
});

describe("approversText", () => {
  it.each([
    [{ roles: [], ids: [] }, "Anyone who is signed in"],
    [{ roles: ["finance"], ids: [] }, "Finance"],
    [{ roles: ["admin", "finance"], ids: ["ada"] }, "Admin, Finance or Ada"],
  ])("names %j", (approvers, text) => {
    expect(approversText(approvers)).toBe(text);
  });
});

describe("timeLeft", () => {
  it.each([
    [0, "time is up"],
    [1, "1 s left"],
    [59_000, "59 s left"],
    [60_000, "1 min left"],
    [29.9 * 60_000, "29 min left"],
    [8 * 3_600_000, "8 h left"],
  ])("formats %i ms", (ms, text) => {
    expect(timeLeft(ms)).toBe(text);
  });
});
