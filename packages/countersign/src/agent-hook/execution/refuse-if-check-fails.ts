import type { Tool } from "@inngest/agent-kit";
import { checkFailed, type Refusal } from "../../approval/refusal-text.js";
import { storableText } from "../../shared/storable-text.js";
import { currentRun } from "../run/inngest-run.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import type { Ticket } from "../run/ticket.js";
import { checksOf } from "../tool/with-checks.js";
import { reportable } from "./execution-outcome.js";
import { checksOfAllowedCall, failedIn } from "./safety-checks.js";

/**
 * Runs the checks of a tool right before a call that needs no approval. In a run they have a step, so that replays
 * neither repeat them nor change what the model has read.
 *
 * @throws Error that AgentKit reports to the model as the call's result.
 */
export async function refuseIfCheckFails(
  runtime: ExecutionRuntime,
  tool: Tool.Any,
  { subject, callKey }: Ticket & { kind: "allowed" },
  input: unknown,
): Promise<void> {
  const checks = checksOf(tool);
  if (checks.length === 0) return;
  const run = await currentRun();
  const check = async (): Promise<Refusal | null> => {
    const call = { toolName: tool.name, inputJson: JSON.stringify(input) };
    const failed = failedIn(await checksOfAllowedCall(runtime, checks, call, subject));
    if (!failed) return null;
    const refusal = checkFailed({ toolName: tool.name, id: null }, failed);
    const data = { toolName: storableText(tool.name), code: refusal.code, runId: run?.runId ?? null };
    const { tenantId } = subject;
    await runtime.store.recordNote({ tenantId, type: "call.refused", data: { ...data, field: failed.name } });
    return refusal;
  };
  const refusal = await (run ? run.step.run(`countersign:checks:${callKey}`, check) : check());
  if (refusal) throw reportable({ status: "refused", refusal });
}
