import type { Counted } from "@countersign/policy/internal/policy/counts";
import { toolFacts } from "@countersign/policy/internal/policy/tool-facts";
import type { Approval } from "../../approval/approval.js";
import type { Refusal } from "../../approval/refusal-text.js";
import { countedAtStart, countedOf } from "../../counting/call-counts.js";
import { startCheck } from "../../gate/start-check.js";
import type { StartCheck } from "../../store/ports/approval-port.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import { policyCall } from "../tool/policy-call.js";
import { toolVersion } from "../tool/tool-version.js";
import { checksOfCall } from "../tool/with-checks.js";
import { previewOf } from "../tool/with-preview.js";
import {
  factsAtStart,
  previewAtStart,
  previewObjection,
  refusalByPreview,
  rehearsable,
  rehearseAtStart,
  type StartPreview,
} from "./previews.js";
import type { RunnableCall } from "./runnable-call.js";
import {
  argumentsOf,
  checksAtStart,
  checksObjection,
  refusalByChecks,
  type StartChecks,
} from "./safety-checks.js";

/** What the host's code says about a call that is about to start. */
export interface SaidAtStart {
  checks?: StartChecks;
  preview?: StartPreview;
  /** What its rules count over time. */
  counted?: Counted;
}

/**
 * Runs the preview and the safety checks of a call that has not started yet, because no transaction may wait for a host's
 * code, and counts for its rules. The row is only read if there is any of it.
 */
export async function beforeClaim(runtime: ExecutionRuntime, call: RunnableCall): Promise<SaidAtStart> {
  const { tool, subject, input, approvalId } = call;
  const termsFor = (given: unknown, facts: object = {}) => evaluated(runtime, call, given, facts).terms;
  const counts = runtime.policy.countsFor?.(toolFacts(tool)) ?? [];
  const saysNothing = !previewOf(tool) && counts.length === 0;
  if (saysNothing && checksOfCall(tool, termsFor(input)).length === 0) return {};
  const approval = await runtime.store.getApproval(subject.tenantId, approvalId);
  if (approval?.status !== "approved") return {};
  const given = JSON.parse(argumentsOf(approval));
  const [preview, counted] = await Promise.all([
    rehearseAtStart(runtime, rehearsable(tool), approval, subject),
    counts.length > 0 ? countedAtStart(runtime, toolFacts(tool), approval) : undefined,
  ]);
  const checks = checksOfCall(tool, termsFor(given, { ...factsAtStart(preview, approval), counted }));
  return {
    ...(preview && { preview }),
    ...(counted && { counted }),
    ...(checks.length > 0 && { checks: await checksAtStart(runtime, checks, approval, subject) }),
  };
}

/** The last check before a start: that of the gate, the tool itself, its preview, and the results of its safety checks. */
export async function stillAllowed(
  runtime: ExecutionRuntime,
  call: RunnableCall,
  { preview, counted, checks: ran }: SaidAtStart,
): Promise<StartCheck> {
  const { tool, proposed, subject } = call;
  const judgeNow = (approval: Approval) =>
    evaluated(runtime, call, JSON.parse(argumentsOf(approval)), {
      ...factsAtStart(preview, approval),
      counted: approval.status === "approved" ? counted : countedOf(approval.terms.counts),
    });
  const check = await startCheck(runtime, {
    proposed,
    requesterId: subject.requester?.id ?? null,
    judgeNow,
    previewNow: (approval) => previewAtStart(preview, approval),
    toolObjection: (approval) => {
      if (approval.toolName !== tool.name) return { cause: "digest_changed" };
      if (approval.toolVersion !== toolVersion(tool)) return { cause: "tool_changed" };
      return previewObjection(preview, approval);
    },
  });
  return (approval, basis) =>
    check(approval, basis) ??
    checksObjection(ran, approval, checksOfCall(tool, judgeNow(approval).terms), runtime.policy.version);
}

/** The refusal of a call that its preview or one of its checks has just withdrawn, in their own words. */
export function refusalBySaid({ preview, checks }: SaidAtStart, approval: Approval): Refusal | undefined {
  return refusalByPreview(preview, approval) ?? refusalByChecks(checks, approval);
}

/** The present policy's evaluation of a call with these arguments and effects. */
function evaluated(
  { policy }: ExecutionRuntime,
  { tool, profile, subject }: RunnableCall,
  input: unknown,
  facts: object,
) {
  return policy.evaluate({ ...policyCall(subject, profile, tool, input), ...facts });
}
