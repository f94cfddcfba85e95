import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { heldTitle, toastTitle } from "./held-text.js";

const made = { decidedBy: "finance", reason: null, decidedAt: "2026-01-02T03:04:05.000Z" };
const held = { ...made, type: "edit" as const, until: "2026-01-02T03:04:11.000Z" };

describe("a decision that is held", () => {
  it("names who made it", () => {
    expect(heldTitle(someApproval({ held }), "finance")).toBe("You approved this with changes");
    expect(heldTitle(someApproval({ held: { ...held, type: "deny" } }), "lead")).toBe("finance denied this");
  });

  it("is reported to its person, as one that has taken effect and a vote are", () => {
    expect(toastTitle(someApproval({ held }))).toBe("You approved with changes");
    expect(toastTitle(someApproval({ decision: { ...made, type: "deny" } }))).toBe("You denied");
    expect(toastTitle(someApproval())).toBe("Your vote was counted");
    expect(toastTitle(someApproval({ snoozedUntil: held.until }))).toMatch(/^Snoozed until .*\d/);
  });
});
