import { joinPolicyFiles } from "@countersign/policy/internal/policy/files/join-policy-files";
import { parsePolicyFile } from "@countersign/policy/internal/policy/files/policy-file";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import { describe, expect, it } from "vitest";
import type { Approval } from "../approval/approval.js";
import { defaultTerms } from "../approval/default-terms.js";
import { checkEdit } from "./check-edit.js";

const rules = [
  { tools: "purge", verdict: "ask", withoutPreview: "deny", editable: ["table"] },
  {
    tools: "purge",
    verdict: "ask",
    when: "effects.size() > 1 || !reversible",
    approvers: { roles: ["lead"] },
  },
];
const joined = joinPolicyFiles([
  parsePolicyFile(JSON.stringify({ version: 1, rules }), { file: "policy.json" }),
]);

function edit(preview: RecordedPreview | null, role: string) {
  if (!joined.ok) throw new Error("The policy is invalid");
  const approval: Partial<Approval> = {
    id: "apr_1",
    tenantId: "acme",
    requestId: "req_1",
    toolName: "purge",
    threadId: null,
    inputJson: '{"table":"a"}',
    inputSchemaJson: null,
    requesterId: null,
    nonce: "n",
    policyContext: { principal: null, profile: null, mcp: null },
    approvers: { roles: [], ids: [] },
    votes: [],
    assigneeId: null,
    assignedBy: null,
    status: "pending",
    terms: { ...defaultTerms, editable: ["table"], preview },
  };
  const person = { id: "ada", tenantId: "acme", roles: [role] };
  const options = { seesEverything: true, maxBytes: 1000 };
  const store = { readCounts: () => Promise.resolve([]) };
  return checkEdit(
    { policy: joined.policy, store },
    approval as Approval,
    person as never,
    { table: "b" },
    options,
  );
}

describe("an edit of a call with a preview", () => {
  const of = (count: number, reversible: boolean | null): RecordedPreview => ({
    effectsJson: JSON.stringify(Array.from({ length: count }, () => ({ target: "a row" }))),
    stateHash: "",
    reversible,
  });

  it("is judged by what the preview found", async () => {
    const changed = { inputJson: '{"table":"b"}' };
    await expect(edit(of(1, true), "staff")).resolves.toMatchObject(changed);
    await expect(edit(of(2, true), "staff")).rejects.toThrow(/requires someone else's approval/);
    await expect(edit(of(1, null), "staff")).rejects.toThrow(/requires someone else's approval/);
    await expect(edit(of(2, true), "lead")).resolves.toMatchObject(changed);
  });

  it("is denied without a preview if a rule says so", async () => {
    await expect(edit(null, "lead")).rejects.toThrow(/the policy denies the call/);
    await expect(edit({ failed: "threw" }, "lead")).rejects.toThrow(/the policy denies the call/);
  });
});
