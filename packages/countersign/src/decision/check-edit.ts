import { z } from "zod";
import type { Approval, Approvers } from "../approval/approval.js";
import { approvalDigest } from "../approval/digest.js";
import { restoreHidden } from "../approval/restore-hidden.js";
import { toolInputJson } from "../approval/tool-input.js";
import { mayDecide } from "../approval/who-decides.js";
import { CountersignError } from "../errors.js";
import type { Policy, PolicyCall } from "../policy/policy.js";
import { threadRules } from "../policy/thread-rules.js";
import type { Principal } from "../principal.js";
import { changesBetween, isOpened } from "./changes.js";

/**
 * Checks changed arguments as a new proposal of the same tool: only opened fields, the tool's schema, and the policy
 * with the person who edits as its approver.
 *
 * @throws CountersignError `invalid_edit` naming the fields, or `edit_not_allowed` where the policy judges otherwise.
 */
export function checkEdit(
  policy: Policy,
  approval: Approval,
  principal: Principal,
  input: unknown,
  seesEverything: boolean,
): { inputJson: string; digest: string } {
  const edited = editedCall(approval, input, seesEverything);
  const original: unknown = JSON.parse(approval.inputJson);
  const changed: unknown = JSON.parse(edited.inputJson);
  const changes = changesBetween(original, changed);
  if (changes.length === 0) {
    throw invalidEdit([{ field: "input", message: "changes nothing; approve the call as it is instead" }]);
  }
  const closed = changes.filter(({ field }) => !isOpened(field, approval.terms.editable));
  const openFields = approval.terms.editable.join(", ") || "none";
  const problems = [
    ...closed.map(({ field }) => ({
      field: `input.${field}`,
      message: `may not be edited; open fields: ${openFields}`,
    })),
    ...schemaProblems(approval, changed),
  ];
  if (problems.length > 0) throw invalidEdit(problems);
  checkPolicy(policy, approval, principal, changed);
  return edited;
}

/**
 * The changed arguments as they are kept: with what this person could not see as it was, and with their own digest.
 *
 * @throws CountersignError `invalid_edit` naming the fields.
 */
export function editedCall(
  approval: Approval,
  input: unknown,
  seesEverything: boolean,
): { inputJson: string; digest: string } {
  const sent = toolInputJson(input);
  if (!sent.ok) throw invalidEdit([{ field: "input", message: sent.problem }]);
  const restored = restoreHidden(JSON.parse(sent.json), JSON.parse(approval.inputJson), {
    ...approval.terms,
    seesEverything,
  });
  if (!restored.ok) {
    const message =
      "contains hidden text that cannot be changed; leave every [hidden] where it is and change only the rest";
    throw invalidEdit(restored.fields.map((field) => ({ field, message })));
  }
  const checked = toolInputJson(restored.value);
  if (!checked.ok) throw invalidEdit([{ field: "input", message: checked.problem }]);
  return { inputJson: checked.json, digest: approvalDigest({ ...approval, inputJson: checked.json }) };
}

/** By the tool's schema as it was proposed; the tool itself checks again when it is about to run. */
function schemaProblems(approval: Approval, input: unknown): { field: string; message: string }[] {
  if (approval.inputSchemaJson === null) return [];
  try {
    const parsed = z.fromJSONSchema(JSON.parse(approval.inputSchemaJson)).safeParse(input);
    if (parsed.success) return [];
    return parsed.error.issues.map((issue) => ({
      field: ["input", ...issue.path.map(String)].join("."),
      message: issue.message,
    }));
  } catch {
    // A schema that cannot be checked here is left to the tool.
    return [];
  }
}

function checkPolicy(policy: Policy, approval: Approval, principal: Principal, input: unknown): void {
  const { principal: requester, profile, mcp, threadRules: own = [] } = approval.policyContext;
  const call: PolicyCall = {
    toolName: approval.toolName,
    input,
    principal: requester,
    thread: approval.threadId === null ? null : { id: approval.threadId, rules: threadRules(own) },
    profile: profile ?? undefined,
    mcp: mcp ?? undefined,
  };
  const { kind, terms } = policy.evaluate(call);
  if (kind === "allow" || kind === "notify") return;
  const isOwn = terms.requesterMayNotApprove && approval.requesterId === principal.id;
  // Who decides in somebody's place was let in for the call as it was proposed, and stays within its approvers.
  const delegable = sameApprovers(approval.approvers, terms.approvers);
  const asked = {
    ...approval,
    approvers: terms.approvers,
    terms: { ...approval.terms, delegable: delegable && approval.terms.delegable },
  };
  const may = mayDecide(asked, principal) && !isOwn && terms.quorum === 1;
  if (kind === "ask" && may) return;
  throw new CountersignError(
    "edit_not_allowed",
    kind === "ask"
      ? "With these arguments the policy asks for somebody else's approval. Deny the call, or ask for smaller changes"
      : "With these arguments the policy does not let the tool run. Nothing was decided",
    { detail: { verdict: kind } },
  );
}

function sameApprovers(a: Approvers, b: Approvers): boolean {
  const same = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((item) => other.includes(item));
  return same(a.roles, b.roles) && same(a.ids, b.ids);
}

function invalidEdit(errors: { field: string; message: string }[]): CountersignError {
  const words = errors.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return new CountersignError("invalid_edit", words, { detail: { errors } });
}
