import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { expiredText, outcomeText } from "./outcome-text.js";
import { hasVoted, quorumText } from "./quorum-text.js";
import { addedText } from "./rule-text.js";
import { sentenceOf, sentencePieces } from "./sentence.js";

const decided = (type: "approve" | "edit" | "deny", decidedBy: string | null = "lead") => ({
  decision: { type, decidedBy, reason: null, decidedAt: "2026-01-02T03:04:05.000Z" },
});
const ran = {
  status: "executed" as const,
  startedAt: "2026-01-02T03:04:05.000Z",
  finishedAt: "2026-01-02T03:04:06.200Z",
};

describe("outcomeText", () => {
  it.each([
    [{ ...decided("edit"), ...ran }, 1, "lead approved with 1 change · ran · 1.2 s"],
    [{ ...decided("approve", "me"), ...ran }, 0, "you approved · ran · 1.2 s"],
    [{ ...decided("approve"), ...ran, finishedAt: "2026-01-02T03:04:05.999Z" }, 0, "lead approved · ran"],
    [{ ...decided("deny"), status: "denied" as const }, 0, "lead denied"],
    [{ ...decided("deny", null), status: "denied" as const }, 0, "the rules denied"],
    [{ status: "expired" as const }, 0, "no decision in time · expired"],
    [
      { ...decided("approve"), status: "interrupted" as const },
      0,
      "lead approved · interrupted, may have run",
    ],
    [{ ...decided("approve", null), ...ran, verdict: "notify" as const }, 0, "ran without asking · 1.2 s"],
    [
      { ...decided("approve", null), status: "approved" as const, verdict: "notify" as const },
      0,
      "allowed without asking · not started yet",
    ],
    [
      { ...decided("approve", null), ...ran, grantId: "g" },
      0,
      "a standing permission approved · ran · 1.2 s",
    ],
    [
      { status: "withdrawn" as const, withdrawalCause: "superseded" as const },
      0,
      "withdrawn: a newer message in the conversation superseded it",
    ],
    [
      { ...decided("approve"), status: "withdrawn" as const, withdrawalCause: "effects_changed" as const },
      0,
      "lead approved · withdrawn: what it would change was no longer what it was approved for",
    ],
  ])("describes %j", (parts, changes, words) => {
    expect(outcomeText(someApproval(parts), changes, "me")).toBe(words);
  });

  it("distinguishes a declined question from an answer", () => {
    const declined = (toolName: string) =>
      someApproval({
        toolName,
        verdict: "manual",
        status: "responded",
        response: { action: "decline" },
        decision: { type: "respond", decidedBy: "me", reason: null, decidedAt: "2026-01-02T03:04:05.000Z" },
      });
    expect(outcomeText(declined("request_human_input"), 0, "me")).toBe("you declined to answer");
    expect(outcomeText(declined("call_customer"), 0, "me")).toBe("you answered");
  });
});

describe("expiredText", () => {
  it("explains an expiry before and after an approval", () => {
    const late = someApproval({ status: "expired" });
    expect(expiredText(late)).toMatch(/^Expired at .+\. It did not run\..*may ask again\.$/);
    const unused = someApproval({
      status: "expired",
      ...decided("approve"),
      finishedAt: "2026-01-03T03:04:05.000Z",
    });
    expect(expiredText(unused)).toMatch(
      /^Approved, but the run never started it\. Expired at .+\. The agent may ask again\.$/,
    );
  });
});

describe("quorumText and hasVoted", () => {
  const approval = someApproval({
    quorum: 2,
    votes: [
      {
        principalId: "finance",
        type: "approve",
        onBehalfOf: null,
        roles: ["finance"],
        reason: null,
        votedAt: "",
      },
    ],
    stillNeeded: { approvals: 1, roles: ["lead"] },
  });

  it("name who approved and which role is missing", () => {
    expect(quorumText(approval, undefined)).toBe("1 of 2 approved (finance). Still needed: lead");
    expect(quorumText(approval, "finance")).toBe("1 of 2 approved (you). Still needed: lead");
  });

  it("count the missing approvals if no role is missing", () => {
    const open = someApproval({ quorum: 3, stillNeeded: { approvals: 3, roles: [] } });
    expect(quorumText(open, "me")).toBe("Nobody has approved yet. Still needed: three people");
  });

  it("find the reader's vote", () => {
    expect([hasVoted(approval, "finance"), hasVoted(approval, "lead")]).toEqual(["approve", undefined]);
  });
});

describe("sentencePieces", () => {
  it("marks values, and quotes those that could pass for the page's own text", () => {
    const summaryParts = [
      { text: "Refund " },
      { value: "12", path: "amount" },
      { text: " EUR for order " },
      { value: "A-1002…", path: "orderId", cut: true as const },
    ];
    const approval = someApproval({ summaryParts });
    expect(sentencePieces(approval)).toEqual([
      { text: "Refund ", isValue: false },
      { text: "12", isValue: true },
      { text: " EUR for order ", isValue: false },
      { text: "“A-1002…”", isValue: true },
    ]);
    expect(sentenceOf(approval)).toBe("Refund 12 EUR for order “A-1002…”");
  });
});

describe("addedText", () => {
  it.each([
    [{ quorum: 2, risk: "high" as const }, "two people, high risk"],
    [{ quorum: 7, distinctRoles: true as const }, "7 people, from different roles"],
    [
      { approvers: { roles: ["lead"], ids: ["ada"] }, requesterMayNotApprove: true as const },
      "lead or ada, whoever asked cannot approve",
    ],
    [{ timeoutMs: 600_000 }, "within 10 min"],
    [{}, ""],
  ])("describes %j", (adds, words) => {
    expect(addedText({ adds })).toBe(words);
  });
});
