import type { Approval } from "../../approval/approval.js";
import { startCheck } from "../../gate/start-check.js";
import type { StartCheck } from "../../store/ports/approval-port.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import { policyCall } from "../tool/policy-call.js";
import { toolVersion } from "../tool/tool-version.js";
import { checksOfCall } from "../tool/with-checks.js";
import type { RunnableCall } from "./approved-tool-call.js";
import { argumentsOf, checksAtStart, checksObjection, type StartChecks } from "./safety-checks.js";

/**
 * Runs the safety checks of a call that has not started yet; `undefined` if it has none. The row is only read if the
 * call has any.
 */
export async function checksBeforeClaim(
  runtime: ExecutionRuntime,
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

/** The last check before a start: that of the gate, the tool itself, and the results of its safety checks. */
export function stillAllowed(
  runtime: ExecutionRuntime,
  { tool, profile, proposed, subject }: RunnableCall,
  ran: StartChecks | undefined,
): StartCheck {
  const judgeNow = (approval: Approval) =>
    runtime.policy.evaluate(policyCall(subject, profile, tool, JSON.parse(argumentsOf(approval))));
  const check = startCheck(runtime, {
    proposed,
    requesterId: subject.requester?.id ?? null,
    judgeNow,
    toolObjection: ({ toolName, toolVersion: version }) => {
      if (toolName !== tool.name) return { cause: "digest_changed" };
      return version === toolVersion(tool) ? undefined : { cause: "tool_changed" };
    },
  });
  return (approval, basis) =>
    check(approval, basis) ??
    checksObjection(ran, approval, checksOfCall(tool, judgeNow(approval).terms), runtime.policy.version);
}
