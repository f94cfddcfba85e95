import { describe, expect, it } from "vitest";
import {
  byWait,
  historyHref,
  percentText,
  periodOf,
  type RuleRow,
  shareOf,
  withHabit,
} from "./insight-rows.js";

const row = (more: Partial<RuleRow>): RuleRow => ({
  tool: "refund",
  rules: [],
  asked: 0,
  approved: 0,
  denied: 0,
  answered: 0,
  expired: 0,
  medianWaitMs: null,
  p90WaitMs: null,
  habit: null,
  ...more,
});

describe("the page of insight", () => {
  it("takes its period from the address", () => {
    expect(["?days=7", "days=90", "", "?days=8", "?days=07"].map(periodOf)).toEqual([
      "7",
      "90",
      "30",
      "30",
      "30",
    ]);
  });

  it("sorts rows by their wait, and those without one last", () => {
    const rows = [row({}), row({ medianWaitMs: 0 }), row({ medianWaitMs: 50 }), row({ medianWaitMs: 200 })];
    expect(byWait(rows).map(({ medianWaitMs }) => medianWaitMs)).toEqual([200, 50, 0, null]);
    expect(rows.map(({ medianWaitMs }) => shareOf(medianWaitMs, rows))).toEqual([0, 0, 0.25, 1]);
    expect(shareOf(null, [])).toBe(0);
  });

  it("lists the rows with a habit by the number of decisions", () => {
    const rows = [
      row({ tool: "a", habit: "often_denied", denied: 5 }),
      row({ tool: "b", habit: "always_approved", approved: 10 }),
      row({ tool: "c", habit: "often_denied", approved: 1, denied: 5 }),
    ];
    expect(withHabit(rows, "often_denied").map(({ tool }) => tool)).toEqual(["c", "a"]);
  });

  it("says 100 % and 0 % only of all and nothing", () => {
    expect([percentText(999, 1000), percentText(1, 1000), percentText(3, 10)]).toEqual([
      "99 %",
      "1 %",
      "30 %",
    ]);
    expect([percentText(5, 5), percentText(0, 5), percentText(0, 0)]).toEqual(["100 %", "0 %", "0 %"]);
  });

  it("links to the history with the tool's name as it is", () => {
    expect(historyHref("issue_refund", 30, "approved")).toBe(
      "/history?q=tool%3Aissue_refund+outcome%3Aapproved+days%3A30",
    );
    expect(historyHref("a&b=c#d é", 7, "denied")).toBe(
      "/history?q=tool%3A%22a%26b%3Dc%23d+%C3%A9%22+outcome%3Adenied+days%3A7",
    );
    expect(historyHref('a "b', 7, "denied")).toBeUndefined();
  });
});
