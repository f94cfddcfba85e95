import type { Tool } from "@inngest/agent-kit";
import { checkFailed, effectsNotAllowed, type Refusal } from "../../approval/refusal-text.js";
import { readCounted } from "../../counting/call-counts.js";
import { policyOf } from "../../gate/propose-calls.js";
import { previewFacts } from "../../policy/preview-facts.js";
import { storableText } from "../../shared/storable-text.js";
import { currentRun } from "../run/inngest-run.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";
import type { Ticket } from "../run/ticket.js";
import { policyCall } from "../tool/policy-call.js";
import { checksOf } from "../tool/with-checks.js";
import { reportable } from "./execution-outcome.js";
import { rehearsable, rehearse } from "./previews.js";
import { checksOfAllowedCall, failedIn } from "./safety-checks.js";

/** A call that needs no approval. */
export interface AllowedCall {
  tool: Tool.Any;
  subject: Subject;
  profile: string | undefined;
  /** Names the call within its run. */
  callKey: string;
  /** The policy that allowed it for what it would change, as its proposal recorded it. */
  onEffects: string | undefined;
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
  { subject, callKey, onEffects }: Ticket & { kind: "allowed" },
  input: unknown,
): Promise<void> {
  const call = { tool, profile, subject, callKey, onEffects, input };
  const refusal = await refusalByCheckInRun(runtime, call);
  if (refusal) throw reportable({ status: "refused", refusal });
}

/** In a run this has a step, so that replays neither repeat it nor change what the model has read. */
export async function refusalByCheckInRun(
  runtime: ExecutionRuntime,
  call: AllowedCall,
): Promise<Refusal | null> {
  if (checksOf(call.tool).length === 0 && !call.onEffects) return null;
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
  const refused = (await refusedByEffects(runtime, call)) ?? (await refusedByChecks(runtime, call));
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

/**
 * A call that was allowed for what it would change may start long after, since other calls of its response may have waited.
 * The policy that allowed it judges what it would change now.
 */
async function refusedByEffects(
  runtime: ExecutionRuntime,
  { tool, profile, subject, onEffects, input }: NamedCall,
) {
  if (!onEffects) return undefined;
  const at = { moment: "start", approvalId: null } as const;
  const preview = await rehearse(runtime, rehearsable(tool), JSON.stringify(input), subject, at);
  const given = policyCall(subject, profile, tool, input);
  const { tenantId, threadId, requester } = subject;
  const asked = { input, tenantId, threadId, requesterId: requester?.id ?? null };
  const counted = await readCounted(runtime, given, asked);
  const call = { ...given, ...previewFacts(preview), counted };
  const policy = policyOf(runtime, { policyVersion: onEffects }) ?? runtime.policy;
  if (policy.evaluate(call).kind === "allow") return undefined;
  return { refusal: effectsNotAllowed(tool.name), field: undefined };
}
