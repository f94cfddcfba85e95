import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { meets, queryOf, searchOf, toggled, viewOf } from "./view.js";

describe("a view in the address", () => {
  it.each([
    ["", { list: "for_you", text: "" }],
    ["?list=waiting", { list: "waiting", text: "" }],
    ["?q=risk%3Ahigh+refund", { list: "for_you", text: "risk:high refund" }],
  ] as const)("is read from %j and written back", (search, view) => {
    expect(viewOf(search)).toEqual(view);
    expect(searchOf(view)).toBe(search);
  });

  it("is the first list if the address names none that exists", () => {
    expect(viewOf("?list=of_nobody")).toEqual({ list: "for_you", text: "" });
  });
});

describe("a search", () => {
  it.each([
    [
      "risk:high,critical tool:refund ends:1h assigned:me 2400 EUR",
      {
        risk: ["high", "critical"],
        tool: "refund",
        ends: "1h",
        assigned: "me",
        words: "2400 EUR",
      },
    ],
    ['from:"Ada L" x', { from: "Ada L", words: "x" }],
    ["risk:huge ends:soon assigned:you", { words: "risk:huge ends:soon assigned:you" }],
    ["tool:a tool:b", { tool: "b", words: "" }],
    ["re: invoice", { words: "re: invoice" }],
  ])("asks, with %j, for %j", (text, query) => {
    expect(queryOf(text)).toEqual(query);
  });

  it("gets a filter, another value, and loses it", () => {
    expect(toggled("refund", "risk", "high")).toBe("risk:high refund");
    expect(toggled("risk:high refund", "risk", "low")).toBe("risk:low refund");
    expect(toggled("risk:high refund", "risk", "high")).toBe("refund");
    expect(toggled("", "from", "Ada L")).toBe('from:"Ada L"');
  });

  it.each([
    ["", true],
    ["risk:medium", true],
    ["risk:high", false],
    ["tool:issue_refund from:requester", true],
    ["tool:issue", false],
    ["ends:30m", true],
    ["ends:10m", false],
    ["assigned:me", false],
    ["issue_ requester", true],
  ])("%j is met by a refund that ends in 20 minutes: %s", (text, expected) => {
    const now = Date.parse("2026-01-02T03:00:00.000Z");
    const approval = someApproval({ risk: "medium", expiresAt: "2026-01-02T03:20:00.000Z" });
    expect(meets(approval, queryOf(text), { nowMs: now, meId: "finance" })).toBe(expected);
  });
});
