import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { checkFailed, type Refusal } from "../../approval/refusal-text.js";
import { currentRun } from "../run/inngest-run.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";
import { checksOf } from "../tool/with-checks.js";
import type { Tool } from "../tool.js";
import { checksOfAllowedCall, failedIn } from "./safety-checks.js";

/** A call that needs no approval. */
export interface AllowedCall {
  tool: Tool;
  subject: Subject;
  /** Names the call within its run. */
  callKey: string;
  input: unknown;
}

/**
 * Runs the tool's own checks right before a call that needs no approval. In a run this has a step, so that replays neither
 * repeat it nor change what the model has read.
 */
export async function refusalByCheckInRun(
  runtime: ExecutionRuntime,
  call: AllowedCall,
): Promise<Refusal | null> {
  if (checksOf(call.tool).length === 0) return null;
  const run = await currentRun();
  return run
    ? run.step.run(`countersign:checks:${call.callKey}`, () => refusalByCheck(runtime, call, run.runId))
    : refusalByCheck(runtime, call, null);
}

/** The same in place. A refusal is in the audit log. */
export async function refusalByCheck(
  runtime: ExecutionRuntime,
  { tool, subject, input }: Omit<AllowedCall, "callKey">,
  runId: string | null,
): Promise<Refusal | null> {
  const checks = checksOf(tool);
  if (checks.length === 0) return null;
  const call = { toolName: tool.name, inputJson: JSON.stringify(input) };
  const failed = failedIn(await checksOfAllowedCall(runtime, checks, call, subject));
  if (!failed) return null;
  const refusal = checkFailed({ toolName: tool.name, id: null }, failed);
  const data = { toolName: storableText(tool.name), code: refusal.code, runId, field: failed.name };
  await runtime.store.recordNote({ tenantId: subject.tenantId, type: "call.refused", data });
  return refusal;
}
