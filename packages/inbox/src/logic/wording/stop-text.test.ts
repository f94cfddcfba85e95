import { describe, expect, it } from "vitest";
import { affectedText, coveredText, distinctStops, stopTitle } from "./stop-text.js";

const stop = (id: string, engagedAt: string) => ({
  id,
  engagedAt,
  tool: "refund",
  reason: "A key has leaked",
  engagedBy: "lead",
});

describe("the texts of stops", () => {
  it("name who stopped calls, why, and which calls", () => {
    expect(stopTitle(stop("a", ""))).toBe("Stopped by lead: A key has leaked");
    expect(coveredText("*")).toBe("all calls");
    expect(coveredText("refund_*")).toBe("calls of refund_*");
  });

  it.each([
    [0, "It covers none of the calls that wait for you."],
    [1, "It covers 1 call that waits for you."],
    [1234, "It covers 1,234 calls that wait for you."],
    [10_001, "It covers more than 10,000 calls that wait for you."],
  ])("say that a stop covers %d calls", (count, text) => {
    expect(affectedText(count)).toBe(`${text} Calls that wait only for others are not counted.`);
  });

  it("contain no raw invisible characters", () => {
    expect(stopTitle({ ...stop("a", ""), reason: "a\u202eb" })).not.toContain("\u202e");
  });

  it("list each stop once, newest first", () => {
    const older = stop("a", "2026-01-02T03:00:00.000Z");
    const newer = stop("b", "2026-01-02T04:00:00.000Z");
    expect(distinctStops([older, null, older, undefined], [newer, older])).toEqual([newer, older]);
  });
});
