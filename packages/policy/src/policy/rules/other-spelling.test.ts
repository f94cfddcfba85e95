import { describe, expect, it } from "vitest";
import { definePolicy } from "../define-policy.js";
import { joinPolicyFiles } from "../files/join-policy-files.js";
import { parsePolicyFile } from "../files/policy-file.js";
import { ask } from "./verdict.js";

const spelled = (rules: readonly string[], tool: string, others: readonly string[] = []) => {
  const policy = definePolicy({
    tools: Object.fromEntries(rules.map((name) => [name, ask()])),
    default: ask(),
  });
  const present = [tool, ...others].map((toolName) => ({ toolName }));
  return policy.otherSpelling?.({ toolName: tool }, present);
};

describe("a rule that no tool matches", () => {
  it.each([
    ["issue_refund", "issueRefund"],
    ["issueRefund", "issue-refund"],
    ["issue-refund", "issue__refund"],
    ["files_delete_file", "files-delete_file"],
    ["files__delete_file", "files-delete_file"],
    ["Refund", "refund"],
    ["files_*", "files-delete_file"],
    ["lookup*", "Lookup_order"],
    ["{create,delete}_*", "deleteUser"],
  ])("and that is spelled %s is meant for the tool %s", (rule, tool) => {
    expect(spelled([rule], tool)).toBe(rule);
    expect(spelled(["*", rule], tool)).toBe(rule);
  });

  it.each([
    ["refunds", "refund"],
    ["issue_refund", "refund_issue"],
    ["issue_*", "reissueRefund"],
  ])("and that has other words, %s, is not meant for the tool %s", (rule, tool) => {
    expect(spelled([rule], tool)).toBeUndefined();
  });
});

describe("a tool in another spelling than a rule", () => {
  it("is no mistake if the rule covers another tool that is present", () => {
    expect(spelled(["issue_refund"], "issueRefund", ["issue_refund"])).toBeUndefined();
    expect(spelled(["lookup_*"], "lookupOrder", ["lookup_order"])).toBeUndefined();
  });

  it("is no mistake if the policy also knows the tool's own spelling", () => {
    expect(spelled(["issue_refund", "issueRefund"], "issueRefund")).toBeUndefined();
    expect(spelled(["lookup_*", "lookup-*"], "lookup-order")).toBeUndefined();
    expect(spelled(["lookup_*", "lookup-order"], "lookup-order")).toBeUndefined();
  });

  it("is no mistake if a key of tool approvals covers it as a tool of its MCP server", () => {
    const tools = { fs_read: { require_approval: true } };
    const joined = joinPolicyFiles([parsePolicyFile(JSON.stringify({ tools }), { file: "a.json" })]);
    if (!joined.ok) throw new Error("the file is invalid");
    const spellingOf = (mcp?: { server: string; tool: string }) => {
      const tool = { toolName: "fs-read", mcp };
      return joined.policy.otherSpelling?.(tool, [tool]);
    };
    expect(spellingOf({ server: "fs", tool: "read" })).toBeUndefined();
    expect(spellingOf()).toBe("fs_read");
  });
});
