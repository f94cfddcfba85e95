import { describe, expect, it } from "vitest";
import { auditWords } from "./audit-words.js";

describe("auditWords", () => {
  it.each([
    ["approval.proposed", null, "The agent asked for it"],
    ["approval.approved", "lead", "lead approved it"],
    ["approval.approved", null, "It was approved"],
    // For entries of the policy, the actor is the requester.
    ["approval.denied_by_policy", "ada", "The rules denied it"],
    ["approval.notified", "ada", "The rules allowed it and notified people"],
    ["decision.refused", "ada", "ada tried to decide it and was refused"],
    ["approval.something_new", null, "Another event: approval.something_new"],
    ["constructor", null, "Another event: constructor"],
  ])("describes %s by %s", (type, actorId, words) => {
    expect(auditWords({ type, actorId })).toBe(words);
  });
});
