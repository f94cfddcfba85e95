import { describe, expect, it } from "vitest";
import type { Approval } from "../../api/approval.js";
import { someApproval, someUndoable } from "../../testing/some-approval.js";
import { undoMark, undoNote, undoTerm, untilText, withinText } from "./undo-text.js";

const { undo } = someUndoable();
if (!undo) throw new Error("unreachable");
const asked = (parts: Partial<Approval>) =>
  someApproval({
    undoes: "apr_1",
    undoRequest: { askedBy: "finance", reason: null },
    yourDecisions: [],
    ...parts,
  });
const deniedBy = (decidedBy: string | null, reason: string | null): Partial<Approval> => ({
  status: "denied",
  decision: { type: "deny", decidedBy, reason, decidedAt: "2026-01-02T03:10:00.000Z" },
});

describe("withinText", () => {
  it.each([
    ["10m", "within 10 minutes after it has run"],
    ["1h", "within 1 hour after it has run"],
    ["1.5 d", "within 1.5 days after it has run"],
    ["2 weeks", "within 2 weeks after it has run"],
    [null, "at any time after it has run"],
  ])("says %j in words", (within, words) => {
    expect(withinText({ undo: { ...undo, within } })).toBe(words);
  });
});

describe("untilText", () => {
  it("cuts off the seconds, except of a short time", () => {
    const seconds = /\d+:\d\d:\d\d/;
    expect(untilText(someUndoable())).toMatch(/^until .*\d+:\d\d/);
    expect(untilText(someUndoable())).not.toMatch(seconds);
    const short = someUndoable({ undo: { ...undo, until: "2026-01-02T03:05:06.200Z" } });
    expect(untilText(short)).toMatch(seconds);
    expect(untilText(someUndoable({ undo: { ...undo, until: null } }))).toBe("at any time");
  });
});

describe("undoTerm", () => {
  it("says what is possible before and after the call has run, and nothing of other calls", () => {
    const pending = someUndoable({ status: "pending", undo: { ...undo, until: null } });
    expect(undoTerm(pending, false)).toBe("May be undone within 10 minutes after it has run");
    expect(undoTerm(someUndoable(), false)).toMatch(/^May be undone until/);
    expect(undoTerm(someUndoable(), true)).toMatch(/^Could be undone until/);
    expect(undoTerm(someUndoable({ status: "failed" }), false)).toBeUndefined();
    expect(undoTerm(someApproval(), false)).toBeUndefined();
  });
});

describe("undoMark", () => {
  it("is for readers who can undo the call, and for calls that were undone", () => {
    expect(undoMark(someUndoable(), false)).toMatch(/^Undo until/);
    expect(undoMark(someUndoable(), true)).toBeUndefined();
    expect(undoMark(someUndoable({ undo: { ...undo, mayUndo: false } }), false)).toBeUndefined();
    expect(undoMark(someUndoable({ undo: { ...undo, undoId: "apr_2" } }), true)).toBe("Undo requested");
    const undoneAt = "2026-01-02T03:10:00.000Z";
    expect(undoMark(someUndoable({ undo: { ...undo, mayUndo: false, undoneAt } }), true)).toBe("Undone");
  });
});

describe("undoNote", () => {
  it("says for whom an undo waits", () => {
    const waiting = asked({ status: "pending", approvers: { roles: ["lead"], ids: [] } });
    const words = "Undo requested by finance.";
    expect(undoNote(someUndoable(), "waiting", waiting)).toBe(`${words} It waits for lead.`);
    const own = { ...waiting, yourDecisions: ["approve" as const] };
    expect(undoNote(someUndoable(), "waiting", own)).toBe(`${words} It needs your approval.`);
  });

  it.each<[Partial<Approval>, string]>([
    [{ status: "failed" }, "Its undo ran and failed."],
    [{ status: "expired" }, "Nobody approved its undo in time."],
    [{ status: "withdrawn" }, "Its undo was withdrawn."],
    [deniedBy("lead", "Shipped"), "lead denied its undo: “Shipped”."],
    [{ ...deniedBy(null, null), reason: "Shipped" }, "The rules denied its undo: “Shipped”."],
  ])("says what became of an undo that did not happen: %j", (parts, words) => {
    const latest = asked(parts);
    const inTime = undoNote(someUndoable(), "possible", latest);
    expect(inTime).toMatch(/ It may be requested again until .+\.$/);
    expect(inTime?.startsWith(words)).toBe(true);
    expect(undoNote(someUndoable(), "over", latest)).toBe(`${words} The time for another one is over.`);
  });

  it("says who can undo it", () => {
    const { undo } = someUndoable();
    if (!undo) throw new Error("unreachable");
    const note = (mayUndo: boolean) =>
      undoNote(someUndoable({ undo: { ...undo, mayUndo } }), "possible", undefined);
    expect(note(true)).toMatch(/^You can undo it until .*\.$/);
    expect(note(false)).toMatch(/^May be undone until .*\.$/);
  });

  it("says nothing of a call whose time passed unused", () => {
    expect(undoNote(someUndoable(), "over", undefined)).toBeUndefined();
  });
});
