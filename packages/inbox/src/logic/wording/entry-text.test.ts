import { expect, it } from "vitest";
import { askedAtFirst, entryText } from "./entry-text.js";

const entry = { type: "approval.proposed", actorId: "finance", data: {} };
const of = (isUndo: boolean) => ({ isUndo, asked: [] });

it("an audit trail names the person who asked for an undo, and the agent of other requests", () => {
  expect(entryText(entry, of(true))).toBe("finance asked for the undo");
  expect(entryText({ ...entry, type: "approval.notified" }, of(true))).toBe(
    "finance asked for the undo, and the rules allowed it",
  );
  expect(entryText(entry, of(false))).toBe("The agent asked for it");
});

it("an audit trail says who was asked, and who was asked later", () => {
  const announced = { type: "approval.announced", actorId: null, data: {} };
  const escalated = {
    type: "approval.escalated",
    actorId: null,
    data: { step: 1, roles: ["lead", "admin"] },
  };
  const trail = [announced, escalated];
  const text = (asked: { roles: string[]; ids: string[] }, at: number) =>
    entryText(trail[at] ?? announced, { isUndo: false, asked: askedAtFirst(asked, trail) });
  const approvers = { roles: ["finance", "legal", "lead", "admin"], ids: ["ada"] };
  expect(text(approvers, 0)).toBe("finance, legal and ada were asked");
  expect(text(approvers, 1)).toBe("lead and admin were asked too");
  expect(text({ roles: ["finance"], ids: [] }, 0)).toBe("finance was asked");
  expect(text({ roles: [], ids: [] }, 0)).toBe("People were asked");
});
