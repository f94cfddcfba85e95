import { describe, expect, it } from "vitest";
import { someApproval, someUndoable } from "../../testing/some-approval.js";
import { type LatestUndo, mayAskForUndo, undoPhase } from "./undo-phase.js";

const { undo } = someUndoable();
if (!undo) throw new Error("unreachable");
const requested = someUndoable({ undo: { ...undo, undoId: "apr_2" } });
const resolved = (outcome: "done" | "failed") => ({
  status: "interrupted" as const,
  resolution: { outcome, resolvedBy: "lead", note: null, resolvedAt: "2026-01-02T03:10:00.000Z" },
});

describe("undoPhase", () => {
  it("of a call that cannot be undone is impossible, whatever became of the call", () => {
    expect(undoPhase(someApproval({ status: "executed" }), undefined, false)).toBe("impossible");
    for (const status of ["failed", "interrupted", "denied", "expired", "withdrawn", "responded"] as const) {
      expect(undoPhase(someUndoable({ status }), undefined, false)).toBe("impossible");
    }
  });

  it("follows a call from its proposal to the end of the time", () => {
    for (const status of ["proposed", "pending", "approved", "executing"] as const) {
      expect(undoPhase(someUndoable({ status }), undefined, false)).toBe("not_run");
    }
    expect(undoPhase(someUndoable(), undefined, false)).toBe("possible");
    expect(undoPhase(someUndoable(), undefined, true)).toBe("over");
  });

  it.each<[string, LatestUndo, string, string]>([
    ["is not loaded", undefined, "loading", "loading"],
    ["cannot be viewed", "hidden", "hidden", "hidden"],
    ["waits", someApproval({ status: "pending" }), "waiting", "waiting"],
    ["is approved", someApproval({ status: "approved" }), "running", "running"],
    ["has run", someApproval({ status: "executed" }), "running", "running"],
    ["failed", someApproval({ status: "failed" }), "possible", "over"],
    ["was denied", someApproval({ status: "denied" }), "possible", "over"],
    ["expired", someApproval({ status: "expired" }), "possible", "over"],
    ["was withdrawn", someApproval({ status: "withdrawn" }), "possible", "over"],
    ["was interrupted", someApproval({ status: "interrupted" }), "uncertain", "uncertain"],
    ["was found not to have happened", someApproval(resolved("failed")), "possible", "over"],
    ["was found to have happened", someApproval(resolved("done")), "running", "running"],
  ])("of a call whose undo %s lets nobody undo it twice", (_what, latest, inTime, late) => {
    expect(undoPhase(requested, latest, false)).toBe(inTime);
    expect(undoPhase(requested, latest, true)).toBe(late);
  });

  it("of an undone call is undone, whatever else is known", () => {
    const undoneAt = "2026-01-02T03:10:00.000Z";
    const undone = someUndoable({ undo: { ...undo, until: null, undoId: "apr_2", undoneAt } });
    expect(undoPhase(undone, "hidden", true)).toBe("undone");
  });
});

describe("mayAskForUndo", () => {
  it("needs the right, and a phase in which an undo can begin", () => {
    const others = someUndoable({ undo: { ...undo, mayUndo: false } });
    expect(mayAskForUndo(someUndoable(), "possible", false)).toBe(true);
    expect(mayAskForUndo(others, "possible", false)).toBe(false);
    for (const phase of ["loading", "waiting", "running", "uncertain", "undone", "over"] as const) {
      expect(mayAskForUndo(someUndoable(), phase, false)).toBe(false);
    }
  });

  it("is true while an undo cannot be viewed, as long as the time lasts", () => {
    expect(mayAskForUndo(requested, "hidden", false)).toBe(true);
    expect(mayAskForUndo(requested, "hidden", true)).toBe(false);
  });
});
