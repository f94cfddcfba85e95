import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { heldNote, heldTitle, toastTitle } from "./held-text.js";

const made = { decidedBy: "finance", reason: null, editedInput: null, decidedAt: "2026-01-02T03:04:05.000Z" };
const held = { ...made, type: "edit" as const, until: "2026-01-02T03:04:11.000Z" };

describe("a decision that is held", () => {
  it("names who made it", () => {
    expect(heldTitle(someApproval({ held }), "finance")).toBe("Approved with changes");
    expect(heldTitle(someApproval({ held: { ...held, type: "deny" } }), "lead")).toBe("finance denied this");
  });

  it("is said to wait for the engine if its time has long been over", () => {
    const at = Date.parse(held.until);
    const noteOf = (nowMs: number, reader: string) => heldNote(someApproval({ held }), reader, nowMs);
    expect(noteOf(at - 1, "finance")).toBe("It runs in a few seconds.");
    expect(noteOf(at + 5_000, "lead")).toBe("They may take it back for a few seconds.");
    for (const reader of ["finance", "lead"]) {
      expect(noteOf(at + 5_001, reader)).toMatch("It takes effect when the engine is back");
    }
  });

  it("is reported to its person, as one that has taken effect and a vote are", () => {
    expect(toastTitle(someApproval({ held }), "finance")).toBe("You approved with changes");
    expect(toastTitle(someApproval({ decision: { ...made, type: "deny" } }), "finance")).toBe("You denied");
    const votes = (type: "approve" | "deny", approvals: number) => ({
      votes: [{ principalId: "finance", type, onBehalfOf: null, roles: [], reason: null, votedAt: "" }],
      stillNeeded: { approvals, roles: [] },
    });
    expect(toastTitle(someApproval(votes("approve", 1)), "finance")).toBe(
      "You approved. 1 more person needed.",
    );
    // How many approvals are needed says nothing about denials.
    expect(toastTitle(someApproval(votes("deny", 2)), "finance")).toBe("You voted to deny");
    expect(toastTitle(someApproval({ snoozedUntil: held.until }), "finance")).toMatch(/^Snoozed until .*\d/);
  });
});
