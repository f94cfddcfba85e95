import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { nothingReviewed } from "../review/reviewed.js";
import { unreviewedOf } from "../review/unreviewed.js";
import { isReadableRow } from "./readable-row.js";

const lines = "a\n".repeat(9);
const flag = { path: "input.to", kind: "blanks" as const, characters: ["U+0020"], count: 400 };

describe("isReadableRow", () => {
  it.each([
    ["values that are wholly in the row", { input: { to: "a", note: { by: "Ada" } } }, true],
    ["a long value", { input: { body: "x".repeat(500) } }, false],
    ["a value of many lines", { input: { body: lines } }, false],
    ["a folded cell of an object that is edited whole", { input: { note: { text: lines } } }, false],
    ["a warning", { input: { to: "a" }, flags: [flag] }, false],
    ["a warning that the API did not send", { input: { to: "a" }, flagsTruncated: true }, false],
  ])("is said of %s", (_name, parts, expected) => {
    const approval = someApproval({ editable: ["note"], ...parts });
    expect(isReadableRow(approval, unreviewedOf(approval, undefined))).toBe(expected);
  });

  it("is said once the page of the call has shown the folded values", () => {
    const approval = someApproval({ editable: ["note"], input: { body: lines, note: { text: lines } } });
    const none = nothingReviewed(approval.digest);
    const opened = { ...none, unfolded: new Set(["body"]) };
    expect(isReadableRow(approval, unreviewedOf(approval, opened))).toBe(false);
    const reached = { ...opened, reached: new Set(["body", "note"]) };
    expect(isReadableRow(approval, unreviewedOf(approval, reached))).toBe(true);
  });
});
