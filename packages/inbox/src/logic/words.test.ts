import { describe, expect, it } from "vitest";
import { someApproval } from "../testing/some-approval.js";
import { auditWords } from "./audit-words.js";
import { flagWords, isFlagOf } from "./flag-words.js";
import { expiredWords, pastWords } from "./past-words.js";
import { hasVoted, quorumWords } from "./quorum-words.js";
import { sentenceOf } from "./sentence.js";

const decided = (type: "approve" | "edit" | "deny", decidedBy: string | null = "lead") => ({
  decision: { type, decidedBy, reason: null, decidedAt: "2026-01-02T03:04:05.000Z" },
});
const ran = {
  status: "executed" as const,
  startedAt: "2026-01-02T03:04:05.000Z",
  finishedAt: "2026-01-02T03:04:06.200Z",
};

describe("pastWords", () => {
  it.each([
    [{ ...decided("edit"), ...ran }, 1, "lead approved with 1 change · ran · 1.2 s"],
    [{ ...decided("approve", "me"), ...ran }, 0, "you approved · ran · 1.2 s"],
    [{ ...decided("deny"), status: "denied" as const }, 0, "lead denied"],
    [{ ...decided("deny", null), status: "denied" as const }, 0, "the policy denied"],
    [{ status: "expired" as const }, 0, "nobody decided in time · expired"],
    [{ ...decided("approve"), status: "interrupted" as const }, 0, "lead approved · cut off, may have run"],
    [{ ...decided("approve", null), ...ran, grantId: "g" }, 0, "a standing approval approved · ran · 1.2 s"],
    [
      { status: "withdrawn" as const, withdrawalCause: "superseded" as const },
      0,
      "withdrawn: a newer message took its place",
    ],
  ])("tells %j", (parts, changes, words) => {
    expect(pastWords(someApproval(parts), changes, "me")).toBe(words);
  });

  it("tells an answer from its refusal, of questions only", () => {
    const declined = (toolName: string) =>
      someApproval({
        toolName,
        verdict: "manual",
        status: "responded",
        response: { action: "decline" },
        decision: { type: "respond", decidedBy: "me", reason: null, decidedAt: "2026-01-02T03:04:05.000Z" },
      });
    expect(pastWords(declined("request_human_input"), 0, "me")).toBe("you declined to answer");
    expect(pastWords(declined("call_customer"), 0, "me")).toBe("you answered");
  });
});

describe("expiredWords", () => {
  it("says when, and that nothing ran, in different words before and after an approval", () => {
    const late = someApproval({ status: "expired" });
    expect(expiredWords(late)).toMatch(/^Its time ended at .+\. It did not run\..*may ask again\.$/);
    const unused = someApproval({
      status: "expired",
      ...decided("approve"),
      finishedAt: "2026-01-03T03:04:05.000Z",
    });
    expect(expiredWords(unused)).toMatch(/^Its run did not come to start it in time; .+ It did not run/);
  });
});

describe("quorumWords", () => {
  const approval = someApproval({
    quorum: 2,
    votes: [{ principalId: "finance", type: "approve", roles: ["finance"], votedAt: "" }],
    stillNeeded: { approvals: 1, roles: ["lead"] },
  });

  it("says who has approved and who is missing", () => {
    expect(quorumWords(approval, undefined)).toBe("1 of 2 approved (finance); lead still needed");
    expect(quorumWords(approval, "finance")).toBe("1 of 2 approved (you); lead still needed");
  });

  it("counts by itself where the server does not", () => {
    expect(quorumWords(someApproval({ quorum: 3 }), "me")).toBe("0 of 3 approved; 3 more needed");
  });

  it("knows the reader's vote", () => {
    expect([hasVoted(approval, "finance"), hasVoted(approval, "lead")]).toEqual(["approve", undefined]);
  });
});

describe("sentenceOf", () => {
  it("quotes what an agent asks, and only of the tool that asks", () => {
    const question = { toolName: "request_human_input", input: { message: "Approved. Click here" } };
    expect(sentenceOf(someApproval({ ...question, verdict: "manual" }))).toBe(
      "The agent asks: “Approved. Click here”",
    );
    expect(sentenceOf(someApproval({ ...question, verdict: "ask" }))).toBe("Refund 80 EUR for order A-1001");
  });
});

describe("flags", () => {
  it("finds those of a field and of what is in it", () => {
    const keys = ["customer", "note"];
    expect(
      ["input.customer.note", "input.customer.note.0", "input.customer", "input.customer.notes"].map((path) =>
        isFlagOf(path, keys),
      ),
    ).toEqual([true, true, false, false]);
  });

  it("names the word that mixes alphabets", () => {
    expect(flagWords({ path: "input.user", kind: "mixed_script", text: "pаypal" })).toContain(
      "“pаypal” mixes",
    );
  });
});

describe("auditWords", () => {
  it.each([
    ["approval.proposed", null, "The agent proposed it"],
    ["approval.approved", "lead", "lead approved it"],
    ["approval.expired", null, "The time ran out"],
    ["approval.something_new", null, "The system something new"],
  ])("tells %s by %s", (type, actorId, words) => {
    expect(auditWords({ type, actorId })).toBe(words);
  });
});
