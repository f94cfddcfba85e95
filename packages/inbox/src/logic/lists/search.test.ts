import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { hasWords, matches } from "./search.js";

describe("hasWords", () => {
  it.each([
    ["Refund 2,400 EUR", "2400", true],
    ["Refund 2,400 EUR", "2,400 refund", true],
    ["Refund 2,400 EUR", "2500", false],
    ["Refund 2,400 EUR", "2400 usd", false],
    ["A, B", "ab", false],
  ])("searches %j for %j and returns %s", (text, words, found) => {
    expect(hasWords(text, words)).toBe(found);
  });
});

describe("matches", () => {
  it("searches the summary, the tool, the requester and the risk", () => {
    const approval = someApproval({ toolName: "issue_refund", requesterId: "ada", risk: "high" });
    expect([matches(approval, "refund ada high"), matches(approval, "nobody")]).toEqual([true, false]);
  });
});
