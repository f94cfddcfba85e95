import { describe, expect, it } from "vitest";
import {
  decidedTodaySearch,
  filterIn,
  filterLabel,
  historyFiltersOf,
  historyQueryOf,
  historyTitle,
  similarCallsSearch,
  timeIn,
  withFilter,
  withTime,
} from "./history-query.js";
import { viewOf } from "./view.js";

const call = { id: "apr_1", toolName: "issue_refund", requesterId: "ada" };

describe("a search of history", () => {
  it("is the API's query", () => {
    expect(
      historyFiltersOf(
        "is:ran tool:refund from:ada risk:high,low outcome:denied days:7 by:me since:today before:apr_1 2400 EUR",
        new Date(2026, 0, 2).getTime(),
      ),
    ).toEqual({
      status: "approved,executing,executed,failed",
      tool: "refund",
      requester: "ada",
      risk: "high,low",
      outcome: "denied",
      decidedWithin: "7d",
      before: "apr_1",
      q: "2400 EUR",
      decidedBy: "me",
      decidedAfter: new Date(2026, 0, 2).toISOString(),
    });
  });

  it.each([
    ["since:today", [2026, 10, 30], undefined],
    ["since:yesterday", [2026, 10, 29], undefined],
    ["until:today", undefined, [2026, 11, 1]],
    ["since:yesterday until:yesterday", [2026, 10, 29], [2026, 10, 30]],
    ["since:2026-02-27 until:2026-02-28", [2026, 1, 27], [2026, 2, 1]],
    ["until:2026-12-31", undefined, [2027, 0, 1]],
  ] as const)("has whole days of the reader: %s", (text, after, before) => {
    const today = new Date(2026, 10, 30).getTime();
    const day = (parts: readonly [number, number, number] | undefined) =>
      parts && new Date(...parts).toISOString();
    const { decidedAfter, decidedBefore }: { decidedAfter?: string; decidedBefore?: string } =
      historyFiltersOf(text, today);
    expect([decidedAfter, decidedBefore]).toEqual([day(after), day(before)]);
  });

  it("asks for all calls that are no longer pending if it is empty", () => {
    expect(historyFiltersOf("", 0)).toEqual({
      status: "approved,executing,executed,failed,denied,responded,expired,withdrawn,interrupted",
    });
  });

  it.each([
    "is:pending",
    "outcome:maybe",
    "days:0",
    "days:366",
    "days:soon",
    "risk:huge",
    "ends:1h",
    "by:ada",
    "since:monday",
    "since:2026-02-30",
    "since:0000-01-01",
    "until:2026-1-2",
    "until:toString",
  ])("takes %j for a word", (text) => {
    expect(historyFiltersOf(text, 0)).toMatchObject({ q: text });
    expect(historyQueryOf(text).active).toEqual([]);
  });

  it("gets and loses a filter", () => {
    const text = withFilter("refund tool:a", "days", "7");
    expect(text).toBe("days:7 refund tool:a");
    expect(filterIn(text, "days")).toBe("7");
    expect(withFilter(text, "days", "7")).toBe("refund tool:a");
  });

  it("has the time of a button, and loses any other", () => {
    const text = withTime("refund days:30 since:2026-11-27 tool:a", "yesterday");
    expect(text).toBe("since:yesterday until:yesterday refund tool:a");
    expect(timeIn(text)).toBe("yesterday");
    expect(withTime(text, undefined)).toBe("refund tool:a");
    expect(timeIn("")).toBeUndefined();
    expect(timeIn("since:yesterday")).toBeUndefined();
    expect(timeIn("days:7 until:today")).toBeUndefined();
    expect(historyTitle("since:yesterday until:2026-11-27")).toBe(
      "History: Decided since yesterday · Decided until Nov 27, 2026",
    );
  });

  it("is a title in words, without invisible characters", () => {
    expect(historyTitle("")).toBe("History");
    expect(historyTitle("tool:refund outcome:approved days:30 card\u202e")).toBe(
      "History: Tool refund · Approved by a person · Within 30 days · card⟨U+202E⟩",
    );
    expect(historyTitle(viewOf(decidedTodaySearch).text)).toBe("History: Today · Decided by you");
    expect(filterLabel({ filter: "days", value: "1" })).toBe("Within 1 day");
  });
});

describe("the search for the calls that a call's history counts", () => {
  const textOf = (search: string | undefined) => (search === undefined ? undefined : viewOf(search).text);

  it("names the tool, the requester, the outcome, the days and the call", () => {
    expect(textOf(similarCallsSearch(call, "approved"))).toBe(
      "tool:issue_refund from:ada outcome:approved days:30 before:apr_1",
    );
  });

  it("keeps names with spaces, and does not exist for names that a search cannot have", () => {
    const spaced = similarCallsSearch({ ...call, requesterId: "Ada L" }, "denied");
    expect(filterIn(textOf(spaced) ?? "", "from")).toBe("Ada L");
    expect(similarCallsSearch({ ...call, requesterId: '"Ada" L' }, "denied")).toBeUndefined();
    expect(similarCallsSearch({ ...call, requesterId: null }, "denied")).toBeUndefined();
    const sneaky = 'x" outcome:denied "';
    expect(similarCallsSearch({ ...call, toolName: sneaky }, "approved")).toBeUndefined();
  });
});
