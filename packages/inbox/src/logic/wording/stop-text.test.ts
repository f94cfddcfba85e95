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
  it("name who stopped calls, why, and which tools", () => {
    expect(stopTitle(stop("a", ""))).toBe("Stopped by lead: A key has leaked");
    expect(coveredText("*")).toBe("everything");
    expect(coveredText("refund_*")).toBe("refund_*");
  });

  it.each([
    [0, "Stops nothing that waits for you"],
    [1, "Stops 1 that waits for you"],
    [1234, "Stops 1,234 that wait for you"],
    [10_001, "Stops more than 10,000 that wait for you"],
  ])("say that a stop covers %d", (count, text) => {
    expect(affectedText(count)).toBe(`${text} (others’ not counted).`);
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
