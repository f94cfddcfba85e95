import { renderSummary } from "@countersign/policy/internal/policy/summary";
import { describe, expect, it } from "vitest";
import { someApproval } from "../testing/some-approval.js";
import { callSummary, questionOf } from "./call-summary.js";

const input = { amount: 95, orderId: "A-1006" };
const rendered = renderSummary("Refund {{amount}} EUR for order {{orderId}}", input);
const call = {
  ...{ toolName: "issue_refund", verdict: "ask" as const, summary: rendered.text },
  ...{ inputJson: JSON.stringify(input), edited: null },
  terms: { summaryParts: rendered.parts, redact: [] as string[], redactPatterns: [] as string[] },
};
const editedTo = (changes: object) => ({ inputJson: JSON.stringify({ ...input, ...changes }), digest: "e" });

describe("the summary of a call", () => {
  it("is the stored one while nobody has edited the call", () => {
    expect(callSummary(call)).toEqual({ current: rendered, proposed: null, valuesJson: call.inputJson });
  });

  it("says the values of an edit, and keeps what was proposed", () => {
    const edited = editedTo({ amount: 30 });
    const { current, proposed, valuesJson } = callSummary({ ...call, edited });
    expect(current.text).toBe("Refund 30 EUR for order A-1006");
    expect(proposed).toEqual(rendered);
    expect(valuesJson).toBe(edited.inputJson);
  });

  it("is the same after an edit of something else", () => {
    expect(callSummary({ ...call, edited: editedTo({ note: "x" }) })).toMatchObject({
      current: { text: rendered.text },
      proposed: null,
    });
  });

  it("hides in an edit what its rules hide", () => {
    const hiding = { redact: ["orderId"], redactPatterns: ["3\\d"] };
    const { text, parts } = renderSummary("Refund {{amount}} EUR for order {{orderId}}", {
      ...input,
      orderId: "[hidden]",
    });
    const hidden = { ...call, summary: text, terms: { summaryParts: parts, ...hiding } };
    const { current } = callSummary({ ...hidden, edited: editedTo({ amount: 30, orderId: "A-9" }) });
    expect(current.text).toBe("Refund [hidden] EUR for order [hidden]");
  });

  it("of a question that was stored under its tool's name is the question", () => {
    const question = {
      ...call,
      ...{ toolName: "request_human_input", verdict: "manual" as const },
      inputJson: JSON.stringify({ message: "Which one?", choices: ["a", "b"] }),
    };
    const summaryParts = [{ text: "request_human_input with choices: …" }];
    const { current } = callSummary({ ...question, terms: { ...question.terms, summaryParts } });
    expect(current).toEqual({ text: "“Which one?”", parts: [{ value: "Which one?", path: "message" }] });
    // A rule has its own words for it.
    const own = { ...question.terms, summaryParts: [{ text: "A question about a parcel" }] };
    expect(callSummary({ ...question, terms: own }).current.parts).toEqual(own.summaryParts);
  });
});

describe("a question", () => {
  it("is cut to one line, and is none if a tool of the host runs after an approval", () => {
    const message = `Which one?\n${"x".repeat(200)}`;
    const question = someApproval({ toolName: "request_human_input", verdict: "manual" });
    expect(questionOf(question, { message })?.parts).toEqual([
      { value: "Which one?…", path: "message", cut: true },
    ]);
    expect(questionOf(question, { message: "y".repeat(200) })?.text).toHaveLength(142);
    expect(questionOf({ ...question, verdict: "ask" }, { message })).toBeUndefined();
    expect(questionOf(question, {})).toBeUndefined();
    expect(questionOf(someApproval({ verdict: "manual" }), { message })).toBeUndefined();
  });
});
