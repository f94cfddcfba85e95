import type { Approval } from "../../approval/approval.js";
import { isIntact } from "../../approval/intact.js";
import { verdictKinds } from "../../policy/rules/rule.js";
import type { StartCheck } from "../../store/approval/approval-port.js";
import { policyCall } from "../review/policy-call.js";
import { toolVersion } from "../review/tool-version.js";
import type { Subject } from "../run/subject.js";
import type { Runtime } from "../runtime.js";
import type { ApprovedToolCall } from "./approved-tool-call.js";
import { backingObjection } from "./backing-objection.js";

/** The arguments that run: as a person edited them, or as proposed. */
export function argumentsOf(approval: Approval): string {
  return approval.edited?.inputJson ?? approval.inputJson;
}

/**
 * The last check before a start. Is the row what the run proposed, the tool unchanged, the policy no stricter? Are
 * those who approved the approvers of both the policy at proposal and the current one?
 */
export function stillAllowed(
  runtime: Runtime,
  { tool, profile, proposed }: Pick<ApprovedToolCall, "tool" | "profile" | "proposed">,
  subject: Subject,
): StartCheck {
  return (approval, backing) => {
    if (approval.toolName !== tool.name || !isIntact(approval, proposed)) return { cause: "digest_changed" };
    if (approval.toolVersion !== toolVersion(tool)) return { cause: "tool_changed" };
    const call = policyCall(subject, profile, tool, JSON.parse(argumentsOf(approval)));
    const { kind, terms } = runtime.policy.evaluate(call);
    // Approval by a person covers an `ask`. Otherwise the current verdict may be `notify` at most.
    const covered = approval.verdict === "ask" ? "ask" : "notify";
    if (verdictKinds.indexOf(kind) > verdictKinds.indexOf(covered)) return { cause: "policy_changed" };
    if (approval.verdict !== "ask") return undefined;
    const requesterId = subject.requester?.id ?? null;
    const now = kind === "ask" ? terms : undefined;
    return backingObjection(runtime, approval, { backing, proposed, requesterId, now });
  };
}
