import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { seeingTime } from "./seeing-time.js";

describe("seeingTime", () => {
  const timeOf = (summary: string, input: unknown) => seeingTime(someApproval({ summary, input }));

  it("grows by 12 ms a word from 400 ms", () => {
    expect(timeOf("", {})).toBe(400);
    expect(timeOf("Refund 80 EUR", {})).toBe(436);
    expect(timeOf("Refund 80 EUR", { order: "A-1" })).toBe(472);
  });

  it("grows with what the call would change", () => {
    const preview = { failed: null, effects: [{ target: "order", after: "refunded" }], reversible: null };
    const of = (parts: object) => seeingTime(someApproval({ summary: "", input: {}, ...parts }));
    expect(of({ preview })).toBeGreaterThan(of({}));
  });

  it("is two seconds at most", () => {
    expect(timeOf("", { body: "word ".repeat(200_000) })).toBe(2000);
  });

  it("grows with text that has no blanks", () => {
    expect(timeOf("", { body: "返金".repeat(200) })).toBeGreaterThan(900);
    expect(timeOf("", { body: "x".repeat(2000) })).toBe(2000);
  });
});
