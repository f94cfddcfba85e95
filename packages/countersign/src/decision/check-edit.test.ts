import { joinPolicyFiles } from "@countersign/policy/internal/policy/files/join-policy-files";
import { parsePolicyFile } from "@countersign/policy/internal/policy/files/policy-file";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import { describe, expect, it } from "vitest";
import { someApproval } from "../testing/some-approval.js";
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
  const approval = someApproval(
    { toolName: "purge", inputJson: '{"table":"a"}' },
    { editable: ["table"], preview },
  );
  const person = { id: "ada", tenantId: "acme", roles: [role] };
  const options = { seesEverything: true, maxBytes: 1000 };
  const store = { readCounts: () => Promise.resolve([]) };
  return checkEdit({ policy: joined.policy, store }, approval, person as never, { table: "b" }, options);
}

describe("an edit of a call with a preview", () => {
  const of = (count: number, reversible: boolean | null): RecordedPreview => ({
    effectsJson: JSON.stringify(Array.from({ length: count }, () => ({ target: "a row" }))),
    stateHash: "",
    reversible,
  });

  it("is checked against what the preview found", async () => {
    const changed = { inputJson: '{"table":"b"}' };
    await expect(edit(of(1, true), "staff")).resolves.toMatchObject(changed);
    await expect(edit(of(2, true), "staff")).rejects.toThrow(/^This needs lead\. Change less, or reassign/);
    await expect(edit(of(1, null), "staff")).rejects.toThrow(/^This needs lead\. Change less, or reassign/);
    await expect(edit(of(2, true), "lead")).resolves.toMatchObject(changed);
  });

  it("is denied without a preview if a rule says so", async () => {
    await expect(edit(null, "lead")).rejects.toThrow(/The rules forbid this value/);
    await expect(edit({ failed: "threw" }, "lead")).rejects.toThrow(/The rules forbid this value/);
  });
});
