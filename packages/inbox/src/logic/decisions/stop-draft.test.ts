import { describe, expect, it } from "vitest";
import { coveredCount, emptyStopDraft, type StopDraft, stopOfDraft } from "./stop-draft.js";

const draft = (fields: Partial<StopDraft>): StopDraft => ({ ...emptyStopDraft, ...fields });

describe("a new stop", () => {
  it.each<[string, Partial<StopDraft>]>([
    ["Choose what to stop", { reason: "A leak" }],
    ["Choose what to stop", { tool: "*", word: "everything", reason: "A leak" }],
    ["Enter the name of a tool", { scope: "tool", tool: " ", reason: "A leak" }],
    ["Choose “Everything” to stop all tools", { scope: "tool", tool: "*", reason: "A leak" }],
    ["Choose “Everything” to stop all tools", { scope: "tool", tool: " ** ", reason: "A leak" }],
    ["Type the word “everything” to stop everything", { scope: "all", reason: "A leak" }],
    ["Type the word “everything” to stop everything", { scope: "all", word: "every", reason: "A leak" }],
    ["Enter a reason", { scope: "all", word: "everything", reason: " " }],
    ["Enter a reason", { scope: "tool", tool: "refund" }],
  ])("is not complete: %s", (problem, fields) => {
    expect(stopOfDraft(draft(fields))).toEqual({ problem });
  });

  it("covers a tool, tools that match a pattern, or every call", () => {
    const reason = "A leak";
    expect(stopOfDraft(draft({ scope: "tool", tool: " refund_* ", reason }))).toEqual({
      stop: { tool: "refund_*", reason },
    });
    expect(stopOfDraft(draft({ scope: "all", word: " Everything", tool: "refund", reason }))).toEqual({
      stop: { tool: "*", reason },
    });
  });
});

describe("the number of calls that a stop would cover", () => {
  const counted = { found: 5, tools: [{ value: "refund", count: 3 }] };

  it.each<[number | undefined, Partial<StopDraft>]>([
    [undefined, {}],
    [5, { scope: "all" }],
    [3, { scope: "tool", tool: " refund " }],
    [0, { scope: "tool", tool: "email" }],
    [undefined, { scope: "tool", tool: "" }],
    [undefined, { scope: "tool", tool: "refund*" }],
    [undefined, { scope: "tool", tool: "{refund,email}" }],
  ])("is %s for %o", (count, fields) => {
    expect(coveredCount(draft(fields), counted)).toBe(count);
  });

  it("is not known for a tool that is not among the fifty most frequent", () => {
    const tools = Array.from({ length: 50 }, (_, at) => ({ value: `tool_${at}`, count: 1 }));
    expect(coveredCount(draft({ scope: "tool", tool: "email" }), { found: 60, tools })).toBeUndefined();
  });
});
