import { expect, it } from "vitest";
import { entryText } from "./entry-text.js";

const entry = { type: "approval.proposed", actorId: "finance" };

it("an audit trail names the person who asked for an undo, and the agent of other calls", () => {
  expect(entryText(entry, { isUndo: true })).toBe("finance asked for the undo");
  expect(entryText({ ...entry, type: "approval.notified" }, { isUndo: true })).toBe(
    "finance asked for the undo, and the policy allowed it",
  );
  expect(entryText(entry, { isUndo: false })).toBe("The agent proposed it");
});
