import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import { describe, expect, it } from "vitest";
import type { Approval, ApprovalTerms, Resolution } from "../../approval/approval.js";
import { someApproval } from "../../testing/some-approval.js";
import { cardUndo, cardUndoes, undoWords } from "./card-undo.js";

const ranAt = new Date("2026-11-27T12:00:00Z");
const later = (minutes: number) => new Date(ranAt.getTime() + minutes * 60_000);

/** A call that ran at noon, and may be undone for ten minutes. */
function booking(
  changes: Partial<Omit<Approval, "terms">> = {},
  terms: Partial<ApprovalTerms> = {},
): Approval {
  return someApproval(
    { status: "executed", finishedAt: ranAt, ...changes },
    { reversible: "10m", undoable: true, decideIn: ["inbox", "slack"], ...terms },
  );
}

const undoes = { approvalId: "apr_1", outcomeHash: "", askedBy: "ada", reason: null, after: null };
const undoOf = (status: ApprovalStatus, resolution: Resolution | null = null, reason: string | null = null) =>
  someApproval({ toolName: "book.undo", status, resolution }, { undoes: { ...undoes, reason } });

const foundDone: Resolution = { outcome: "done", resolvedBy: "bob", note: null, resolvedAt: ranAt };

const inSlack = { channel: "slack", isWhole: true };
const at = (now: Date, approval = booking(), undo: Approval | null = null, place = inSlack) =>
  cardUndo({ approval, undo, now }, place);

describe("the undo on a card", () => {
  it("is offered until its time is over", () => {
    const until = later(10);
    expect(at(later(9))).toMatchObject({ until, within: "10m", possible: true, offered: true });
    expect(at(later(10))).toMatchObject({ until, possible: false, offered: false });
    const always = booking({}, { reversible: true });
    expect(at(later(1e6), always)).toMatchObject({ until: null, within: null, possible: true });
  });

  it.each([
    ["10m", "It can be undone for 10 minutes after it ran."],
    ["90m", "It can be undone for 90 minutes after it ran."],
    ["1 day", "It can be undone for 1 day after it ran."],
    [true, "It can be undone at any time after it ran."],
  ])("is announced before the call has run (%s)", (reversible, text) => {
    const call = booking({ status: "pending", finishedAt: null }, { reversible });
    expect(at(ranAt, call)).toMatchObject({ text, until: null, possible: false, offered: false });
  });

  it("is offered only where the rules let people decide, and where the card shows the whole call", () => {
    const offered = { possible: true, offered: false };
    expect(at(ranAt, booking({}, { decideIn: ["inbox"] }))).toMatchObject(offered);
    expect(at(ranAt, booking(), null, { ...inSlack, isWhole: false })).toMatchObject(offered);
  });

  it("is absent if nobody can undo the call, or if it has not run", () => {
    expect(at(ranAt, booking({}, { undoable: false }))).toBeNull();
    expect(at(ranAt, booking({}, { reversible: false }))).toBeNull();
    for (const status of ["denied", "expired", "withdrawn", "failed", "interrupted", "responded"] as const)
      expect(at(ranAt, booking({ status }))).toBeNull();
  });

  it.each([
    ["pending", true],
    ["denied", true],
    ["failed", true],
    ["executing", false],
    ["interrupted", false],
  ] as const)("is possible or not while another undo is %s", (status, possible) => {
    expect(at(ranAt, booking({ undoId: "apr_2" }), undoOf(status))).toMatchObject({ possible });
  });

  it("is over once the call is undone", () => {
    const undone = booking({ undoId: "apr_2", undoneAt: later(2) });
    const over = { undoneAt: later(2), until: null, possible: false, offered: false };
    expect(at(later(3), undone, undoOf("executed"))).toMatchObject(over);
  });
});

const named = (id: string) => (id === "ada" ? "Ada" : id);

it.each([
  [null, null, ""],
  [undoOf("pending"), null, "Ada asked to undo it"],
  [undoOf("denied"), null, ""],
  [undoOf("failed"), null, "Its undo failed"],
  [undoOf("interrupted"), null, "Its undo was interrupted and may have happened"],
  [undoOf("executed"), ranAt, "Undone by Ada"],
  [undoOf("interrupted", foundDone), ranAt, "Undone by bob"],
])("a card says what became of the wish to undo the call (%#)", (undo, undoneAt, words) => {
  expect(undoWords(undo, undoneAt, named)).toBe(words);
});

it("the card of an undo says which call it undoes, and who asked for it", () => {
  expect(cardUndoes(undoOf("pending"), named)).toEqual({
    approvalId: "apr_1",
    text: "Undoes the request apr_1 (book). Ada asked for it",
  });
  const reason = "wrong\u202e”. Approved by all";
  const undo = undoOf("pending", null, reason);
  expect(cardUndoes(undo, named)?.text).toBe(
    'Undoes the request apr_1 (book). Ada asked for it: “wrong⟨U+202E⟩". Approved by all”',
  );
});
