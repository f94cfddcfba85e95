import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { someApproval, someUndoable } from "../../testing/some-approval.js";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { writeAs } from "../../words/locale.js";
import { speak } from "../../words/words.js";
import { heldNote, heldTitle } from "./held-text.js";
import { outcomeText } from "./outcome-text.js";
import { quorumText } from "./quorum-text.js";
import { withinText } from "./undo-text.js";

beforeAll(() => {
  speak(de);
  writeAs("de");
});
afterAll(() => {
  speak(en);
  writeAs("en");
});

describe("German texts of decisions", () => {
  const made = { reason: null, editedInput: null, decidedAt: "2026-01-02T03:04:05.000Z" };

  it.each([
    ["edit", "lead", 1, "von lead mit 1 Änderung freigegeben · noch nicht gestartet"],
    ["edit", "lead", 2, "von lead mit 2 Änderungen freigegeben · noch nicht gestartet"],
    ["edit", "lead", 0, "von lead mit Änderungen freigegeben · noch nicht gestartet"],
    ["approve", "me", 0, "von Ihnen freigegeben · noch nicht gestartet"],
    ["approve", null, 0, "durch die Regeln freigegeben · noch nicht gestartet"],
  ] as const)("have the person in the middle: %s by %s with %i changes", (type, decidedBy, changes, text) => {
    const approval = someApproval({ status: "approved", decision: { ...made, type, decidedBy } });
    expect(outcomeText(approval, changes, "me")).toBe(text);
  });

  it("say who holds a decision", () => {
    const held = { ...made, type: "edit" as const, decidedBy: "lead", until: made.decidedAt };
    expect(heldTitle(someApproval({ held }), "lead")).toBe("Mit Änderungen freigegeben");
    expect(heldTitle(someApproval({ held }), "me")).toBe("Von lead mit Änderungen freigegeben");
    expect(heldNote(someApproval({ held }), "me", Date.parse(held.until) + 6_000)).toBe(
      "Kann nicht mehr zurückgenommen werden. Wird wirksam, sobald die Engine wieder da ist.",
    );
  });

  it("count votes", () => {
    const approval = someApproval({ quorum: 2, stillNeeded: { approvals: 2, roles: ["lead", "legal"] } });
    expect(quorumText(approval, "me")).toBe("Noch niemand hat freigegeben. Noch nötig: zwei von lead, legal");
    expect(quorumText({ ...approval, quorum: 1, denials: 2, status: "denied" }, "me")).toBe(
      "Noch niemand hat freigegeben. 0 von 2 Ablehnungen",
    );
  });
});

describe("German times to undo a call", () => {
  const { undo } = someUndoable();
  if (!undo) throw new Error("unreachable");

  it.each([
    ["1d", "innerhalb von 1 Tag nach der Ausführung"],
    ["1.5 d", "innerhalb von 1,5 Tagen nach der Ausführung"],
    ["2w", "innerhalb von 2 Wochen nach der Ausführung"],
    [null, "jederzeit nach der Ausführung"],
  ])("decline the unit of %j", (within, text) => {
    expect(withinText({ undo: { ...undo, within } })).toBe(text);
  });
});
