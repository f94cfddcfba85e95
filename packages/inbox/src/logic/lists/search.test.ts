import { afterEach, describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { writeAs } from "../../words/locale.js";
import { hasWords, matches, wordsToFind } from "./search.js";

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

describe("a search for a number", () => {
  afterEach(() => writeAs("en"));

  it.each([
    ["de", "1.250", "1250"],
    ["de", "refund 1.250,50 A-1001", "refund 1250.5 A-1001"],
    ["de", "12,50 2026 2026-01-02 1.2.3", "12.5 2026 2026-01-02 1.2.3"],
    ["en", "1,250 12.50", "1,250 12.50"],
  ])("in %s finds %j as the server writes it", (locale, words, found) => {
    writeAs(locale);
    expect(wordsToFind(words)).toBe(found);
  });
});

describe("matches", () => {
  it("searches the summary, the tool, the requester and the risk", () => {
    const approval = someApproval({ toolName: "issue_refund", requesterId: "ada", risk: "high" });
    expect([matches(approval, "refund ada high"), matches(approval, "nobody")]).toEqual([true, false]);
  });
});
