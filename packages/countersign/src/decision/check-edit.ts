import { quotedValue } from "@countersign/policy/internal/display/summary-part";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import { inForce } from "@countersign/policy/internal/policy/policy-versions";
import { previewFacts } from "@countersign/policy/internal/policy/preview-facts";
import { isOpened } from "@countersign/policy/internal/policy/rules/opened-field";
import type { ResolvedTerms } from "@countersign/policy/internal/policy/rules/term-table";
import { threadRules } from "@countersign/policy/internal/policy/rules/thread-rules";
import { restoreHidden } from "@countersign/policy/internal/redaction/restore-hidden";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import {
  type FieldProblem,
  fieldProblems,
  problemText,
} from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import type { Approval, Approvers } from "../approval/approval.js";
import { approvalDigest } from "../approval/approval-digest.js";
import { toolInputJson } from "../approval/tool-input.js";
import { mayDecide, mustLeaveToOthers } from "../approval/who-decides.js";
import { readCounted } from "../counting/call-counts.js";
import type { DecideInput } from "../store/ports/approval-port.js";
import type { Store } from "../store/store.js";
import { changesBetween } from "./changes.js";

/** How to check an edit. */
export interface EditOptions {
  /** Whether the editor sees redacted values. */
  seesEverything: boolean;
  /** Maximum bytes of the changed arguments' JSON. */
  maxBytes: number;
}

const maxName = 60;

/**
 * Checks changed arguments as a new proposal of the same tool: only opened fields, the tool's schema, and the policy
 * with the editor as its approver.
 *
 * @throws CountersignError `invalid_edit` naming the fields, or `edit_not_allowed` if the policy's verdict differs.
 */
export async function checkEdit(
  { policy: present, store }: { policy: Policy; store: Pick<Store, "readCounts"> },
  approval: Approval,
  principal: Principal,
  input: unknown,
  options: EditOptions,
): Promise<NonNullable<DecideInput["edited"]>> {
  const edited = editedCall(approval, input, options);
  const original: unknown = JSON.parse(approval.inputJson);
  const changed: unknown = JSON.parse(edited.inputJson);
  const changes = changesBetween(original, changed);
  if (changes.length === 0) {
    throw invalidEdit([{ field: "input", message: "changes nothing; approve it as it is instead" }]);
  }
  const closed = changes.filter(({ field }) => !isOpened(field, approval.terms.editable));
  const openFields = approval.terms.editable.join(", ") || "none";
  const problems = [
    ...closed.map(({ field }) => ({
      field: `input.${field}`,
      message: `may not be edited; editable fields: ${openFields}`,
    })),
    ...schemaProblems(approval, changed),
  ];
  if (problems.length > 0) throw invalidEdit(problems);
  const tool = { toolName: approval.toolName, mcp: approval.policyContext.mcp ?? undefined };
  const policy = inForce(present);
  const counted = await readCounted(
    { policy, store },
    tool,
    { ...approval, input: changed },
    { except: approval.id },
  );
  checkPolicy(policy, approval, principal, { input: changed, counted });
  return edited;
}

/**
 * The changed arguments as they are saved: with unchanged values for what this person could not see, and with their own
 * digest.
 *
 * @throws CountersignError `invalid_edit` naming the fields.
 */
export function editedCall(
  approval: Approval,
  input: unknown,
  { seesEverything, maxBytes }: EditOptions,
): NonNullable<DecideInput["edited"]> {
  const sent = toolInputJson(input, maxBytes);
  if (!sent.ok) throw invalidEdit([{ field: "input", message: sent.problem }]);
  const restored = restoreHidden(JSON.parse(sent.json), JSON.parse(approval.inputJson), {
    ...approval.terms,
    seesEverything,
  });
  if (!restored.ok) {
    const message =
      "contains hidden text that cannot be changed; keep every [hidden] in place and change only the rest";
    throw invalidEdit(restored.fields.map((field) => ({ field, message })));
  }
  const checked = toolInputJson(restored.value, maxBytes);
  if (!checked.ok) throw invalidEdit([{ field: "input", message: checked.problem }]);
  return {
    inputJson: checked.json,
    digest: approvalDigest({ ...approval, inputJson: checked.json }),
  };
}

/** Checks the tool's schema at proposal. The tool itself checks again before it runs. */
function schemaProblems(approval: Approval, input: unknown): FieldProblem[] {
  if (approval.inputSchemaJson === null) return [];
  try {
    const parsed = z.fromJSONSchema(JSON.parse(approval.inputSchemaJson)).safeParse(input);
    if (parsed.success) return [];
    return fieldProblems(parsed.error, "input");
  } catch {
    // If the schema cannot be checked here, the tool checks its arguments itself.
    return [];
  }
}

function checkPolicy(
  policy: Policy,
  approval: Approval,
  principal: Principal,
  changed: Pick<PolicyCall, "input" | "counted">,
): void {
  const { principal: requester, profile, mcp, marked, threadRules: own = [] } = approval.policyContext;
  const call: PolicyCall = {
    toolName: approval.toolName,
    ...changed,
    principal: requester,
    thread: approval.threadId === null ? null : { id: approval.threadId, rules: threadRules(own) },
    profile: profile ?? undefined,
    mcp: mcp ?? undefined,
    marked,
    // Those of the arguments as proposed. The preview runs again, and the policy is asked again, before the call starts.
    ...previewFacts(approval.terms.preview),
  };
  const { kind, terms } = policy.evaluate(call);
  if (kind === "allow" || kind === "notify") return;
  const isOwn = mustLeaveToOthers({ terms, requesterId: approval.requesterId }, principal.id);
  // A delegate may decide the call as proposed, so an edit must keep its approvers.
  const delegable = sameApprovers(approval.approvers, terms.approvers);
  const asked = {
    ...approval,
    approvers: terms.approvers,
    terms: { ...approval.terms, delegable: delegable && approval.terms.delegable },
  };
  const may = mayDecide(asked, principal) && !isOwn && terms.quorum === 1;
  if (kind === "ask" && may) return;
  if (kind !== "ask") {
    throw new CountersignError("edit_not_allowed", "The rules forbid this value. Enter another one", {
      detail: { verdict: kind },
    });
  }
  const { approvers, quorum, reason } = terms;
  throw new CountersignError("edit_not_allowed", othersText(terms), {
    detail: { verdict: kind, approvers, quorum, reason },
  });
}

/** Who must approve what its editor may not, and why. */
function othersText({ approvers, quorum, reason }: ResolvedTerms): string {
  const names = [...approvers.roles, ...approvers.ids].map((name) => quotedValue(visibleText(name, maxName)));
  const anyone = quorum > 1 ? `${quorum} people` : "someone else";
  const who =
    names.length === 0 ? anyone : quorum > 1 ? `${anyone} of ${names.join(", ")}` : names.join(" or ");
  return `This needs ${who}${reason === null ? "" : ` (${reason})`}. Change less, or reassign it to them`;
}

function sameApprovers(a: Approvers, b: Approvers): boolean {
  const same = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((item) => other.includes(item));
  return same(a.roles, b.roles) && same(a.ids, b.ids);
}

function invalidEdit(errors: FieldProblem[]): CountersignError {
  return new CountersignError("invalid_edit", problemText(errors), { detail: { errors } });
}
