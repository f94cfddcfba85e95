import { isIntact } from "../../approval/intact.js";
import { verdictKinds } from "../../policy/rules/rule.js";
import type { StartCheck } from "../../store/approval/approval-port.js";
import { policyCall } from "../review/policy-call.js";
import { toolVersion } from "../review/tool-version.js";
import type { Runtime } from "../runtime.js";
import type { RunnableCall } from "./approved-tool-call.js";
import { backingObjection } from "./backing-objection.js";
import { argumentsOf, checksAtStart, checksObjection, type StartChecks } from "./safety-checks.js";
import { checksOfCall } from "./with-checks.js";

/**
 * Runs the safety checks of a call that has not started yet; `undefined` if it has none. The row is only read if the
 * call has any.
 */
export async function checksBeforeClaim(
  runtime: Runtime,
  { tool, profile, subject, input, approvalId }: RunnableCall,
): Promise<StartChecks | undefined> {
  const checksFor = (given: unknown) =>
    checksOfCall(tool, runtime.policy.evaluate(policyCall(subject, profile, tool, given)).terms);
  if (checksFor(input).length === 0) return undefined;
  const approval = await runtime.store.getApproval(subject.tenantId, approvalId);
  if (approval?.status !== "approved") return undefined;
  const checks = checksFor(JSON.parse(argumentsOf(approval)));
  return checksAtStart(runtime, checks, approval, subject);
}

/**
 * The last check before a start. Is the row what the run proposed, the tool unchanged, the policy no stricter? Are
 * those who approved the approvers of both the policy at proposal and the current one? Did all safety checks pass?
 */
export function stillAllowed(
  runtime: Runtime,
  { tool, profile, proposed, subject }: RunnableCall,
  ran: StartChecks | undefined,
): StartCheck {
  return (approval, backing) => {
    if (approval.toolName !== tool.name || !isIntact(approval, proposed)) return { cause: "digest_changed" };
    if (approval.toolVersion !== toolVersion(tool)) return { cause: "tool_changed" };
    const call = policyCall(subject, profile, tool, JSON.parse(argumentsOf(approval)));
    const { kind, terms } = runtime.policy.evaluate(call);
    // Approval by a person covers an `ask`. Otherwise the current verdict may be `notify` at most.
    const covered = approval.verdict === "ask" ? "ask" : "notify";
    if (verdictKinds.indexOf(kind) > verdictKinds.indexOf(covered)) return { cause: "policy_changed" };
    const requesterId = subject.requester?.id ?? null;
    const now = kind === "ask" ? terms : undefined;
    const objection =
      approval.verdict === "ask"
        ? backingObjection(runtime, approval, { backing, proposed, requesterId, now })
        : undefined;
    return objection ?? checksObjection(ran, approval, checksOfCall(tool, terms), runtime.policy.version);
  };
}
