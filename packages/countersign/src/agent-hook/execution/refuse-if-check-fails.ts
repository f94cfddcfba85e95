import type { Tool } from "@inngest/agent-kit";
import { checkFailed, effectsNotAllowed, type Refusal } from "../../approval/refusal-text.js";
import { previewFacts } from "../../policy/preview-facts.js";
import { storableText } from "../../shared/storable-text.js";
import { currentRun } from "../run/inngest-run.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";
import type { Ticket } from "../run/ticket.js";
import { policyCall } from "../tool/policy-call.js";
import { checksOf } from "../tool/with-checks.js";
import { previewOf } from "../tool/with-preview.js";
import { reportable } from "./execution-outcome.js";
import { readsEffects, rehearsable, rehearse } from "./previews.js";
import { checksOfAllowedCall, failedIn } from "./safety-checks.js";

/** A call that needs no approval. */
interface AllowedCall {
  tool: Tool.Any;
  subject: Subject;
  profile: string | undefined;
  /** Names the call within its run. */
  callKey: string;
  input: unknown;
}

/**
 * Asks the tool's own code right before a call that needs no approval: its checks, and its preview if the verdict rests on
 * what the call would change.
 *
 * @throws Error that AgentKit reports to the model as the call's result.
 */
export async function refuseIfCheckFails(
  runtime: ExecutionRuntime,
  { tool, profile }: Pick<AllowedCall, "tool" | "profile">,
  { subject, callKey }: Ticket & { kind: "allowed" },
  input: unknown,
): Promise<void> {
  const refusal = await refusalByCheckInRun(runtime, { tool, profile, subject, callKey, input });
  if (refusal) throw reportable({ status: "refused", refusal });
}

/** In a run this has a step, so that replays neither repeat it nor change what the model has read. */
export async function refusalByCheckInRun(
  runtime: ExecutionRuntime,
  call: AllowedCall,
): Promise<Refusal | null> {
  if (checksOf(call.tool).length === 0 && !restsOnEffects(runtime, call)) return null;
  const run = await currentRun();
  return run
    ? run.step.run(`countersign:checks:${call.callKey}`, () => refusalByCheck(runtime, call, run.runId))
    : refusalByCheck(runtime, call, null);
}

/** The same in place. A refusal is in the audit log. */
export async function refusalByCheck(
  runtime: ExecutionRuntime,
  call: Omit<AllowedCall, "callKey">,
  runId: string | null,
): Promise<Refusal | null> {
  const { tool, subject } = call;
  const refused =
    (restsOnEffects(runtime, call) && (await refusedByEffects(runtime, call))) ||
    (await refusedByChecks(runtime, call));
  if (!refused) return null;
  const { refusal, field } = refused;
  const data = { toolName: storableText(tool.name), code: refusal.code, runId, ...(field && { field }) };
  await runtime.store.recordNote({ tenantId: subject.tenantId, type: "call.refused", data });
  return refusal;
}

type NamedCall = Omit<AllowedCall, "callKey">;

async function refusedByChecks(runtime: ExecutionRuntime, { tool, subject, input }: NamedCall) {
  const checks = checksOf(tool);
  if (checks.length === 0) return undefined;
  const call = { toolName: tool.name, inputJson: JSON.stringify(input) };
  const failed = failedIn(await checksOfAllowedCall(runtime, checks, call, subject));
  if (!failed) return undefined;
  return { refusal: checkFailed({ toolName: tool.name, id: null }, failed), field: failed.name };
}

/** Whether rules allowed a call for what its preview said, which may have been long ago: other calls may have waited. */
function restsOnEffects({ policy }: ExecutionRuntime, { tool, profile, subject, input }: NamedCall): boolean {
  return previewOf(tool) !== undefined && readsEffects(policy, policyCall(subject, profile, tool, input));
}

async function refusedByEffects(runtime: ExecutionRuntime, { tool, profile, subject, input }: NamedCall) {
  const at = { moment: "start", approvalId: null } as const;
  const preview = await rehearse(runtime, rehearsable(tool), JSON.stringify(input), subject, at);
  const call = { ...policyCall(subject, profile, tool, input), ...previewFacts(preview) };
  if (runtime.policy.evaluate(call).kind === "allow") return undefined;
  return { refusal: effectsNotAllowed(tool.name), field: undefined };
}
