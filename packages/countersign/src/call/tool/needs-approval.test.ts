import { ask } from "@countersign/policy/internal/policy/rules/verdict";
import { expect, it } from "vitest";
import { markOf, needsApproval, recordedMark } from "./needs-approval.js";

it("roles is short for the approvers of ask()", () => {
  const tool = needsApproval({ name: "refund" }, { roles: ["finance"], timeout: "1h" });
  expect({ ...markOf(tool), kind: "ask" }).toEqual(ask({ approvers: { roles: ["finance"] }, timeout: "1h" }));
});

it("a row keeps the mark without its checks", () => {
  const checks = [{ name: "limit", run: () => true }];
  expect(recordedMark(needsApproval({ name: "refund" }, { risk: "high", checks }))).toEqual({ risk: "high" });
  expect(recordedMark({})).toBeUndefined();
});

it.each([
  ["a second mark", () => needsApproval(needsApproval({ name: "refund" })), "has a mark already"],
  [
    "roles twice",
    () => needsApproval({ name: "refund" }, { roles: ["a"], approvers: { roles: ["b"] } }),
    "write either roles or approvers",
  ],
  [
    "a misspelled term",
    () => needsApproval({ name: "refund" }, { timeOut: "1h" } as never),
    'terms.timeOut: unknown field; did you mean "timeout"?',
  ],
  ["a wrong value", () => needsApproval({ name: "refund" }, { quorum: 0 }), "terms.quorum"],
  [
    "an Inngest function",
    () => needsApproval({ name: "refund", createExecution() {} }),
    "is an Inngest function",
  ],
  ["no tool", () => needsApproval("refund" as never), "must be a tool"],
])("refuses %s, naming the tool", (_what, mark, problem) => {
  expect(mark).toThrow(expect.objectContaining({ code: "invalid_option" }));
  expect(mark).toThrow(problem);
  expect(mark).toThrow(/^needsApproval: "(refund|this tool)": /);
});
