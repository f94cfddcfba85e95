import { randomBytes } from "node:crypto";
import { refusalOfRequest } from "../agent-hook/execution/stopped-call.js";
import { decisionTerms, proposedCall } from "../agent-hook/review/proposed-call.js";
import type { InngestRun } from "../agent-hook/run/inngest-run.js";
import type { Runtime } from "../agent-hook/runtime.js";
import type { Proposed } from "../approval/proposed.js";
import {
  approvalMissing,
  type Refusal,
  refusalFor,
  refusalWithoutDecision,
  runNearlyFull,
} from "../approval/refusal.js";
import { derivedId } from "../shared/canonical-hash.js";
import { storableText } from "../shared/storable-text.js";
import { isProposedBy, type Proposer } from "../store/request/new-approval.js";
import type { AskedFor } from "./asked-for.js";

/** `proposed` is `null` if nobody was asked. */
interface ProposedRequest {
  requestId: string;
  approvalId: string;
  proposed: Proposed | null;
  refusal: Refusal | null;
}

/** Writes a plain function's request as a call and returns its digest to the run. */
export async function proposeRequest(
  runtime: Runtime,
  asked: AskedFor,
  requestId: string,
  { runId, parentRunId, countSteps }: Pick<InngestRun, "runId" | "parentRunId" | "countSteps">,
): Promise<ProposedRequest> {
  const approvalId = derivedId("apr", requestId);
  const ids = { requestId, approvalId };
  const proposer: Proposer = {
    requestId,
    runId,
    tenantId: asked.tenantId,
    threadId: asked.threadId,
    agentName: null,
    requesterId: asked.requester?.id ?? null,
  };
  const stopped = await refusalOfRequest(runtime, requestId, { ...proposer, toolName: asked.action });
  if (stopped) return { ...ids, proposed: null, refusal: stopped };
  const full = await refusalOfFullRun(runtime, requestId, { ...proposer, steps: countSteps() }, asked.action);
  if (full) return { ...ids, proposed: null, refusal: full };
  const call = proposedCall(runtime, asked.terms, {
    id: approvalId,
    toolCallId: approvalId,
    toolName: asked.action,
    toolVersion: "requireApproval",
    inputJson: asked.inputJson,
    policyContext: { principal: asked.requester, profile: null, mcp: null },
    summary: asked.summary,
    stored: {
      ...decisionTerms(asked.terms),
      redactPatterns: asked.redactPatterns,
      reasons: asked.reasons,
    },
  });
  const written = await runtime.store.propose({
    ...proposer,
    appId: runtime.appId,
    requesterName: asked.requesterName,
    parentRunId,
    wakeUpToken: randomBytes(24).toString("base64url"),
    limits: runtime.limits,
    calls: [call],
  });
  const approval = written.find(({ id }) => id === approvalId);
  if (!approval) return { ...ids, proposed: null, refusal: approvalMissing(asked.action, approvalId) };
  // A row written by an earlier attempt has the policy version of that time, which does not apply here.
  if (!isProposedBy(proposer, { ...call, policyVersion: approval.policyVersion }, approval)) {
    await runtime.store.withdrawRequest(requestId, "digest_changed");
    const withdrawn = { ...approval, status: "withdrawn", withdrawalCause: "digest_changed" } as const;
    return { ...ids, proposed: null, refusal: refusalFor(withdrawn) ?? null };
  }
  const proposed = {
    digest: approval.digest,
    at: approval.createdAt.getTime(),
    signed: runtime.signer !== undefined,
  };
  return { ...ids, proposed, refusal: refusalWithoutDecision(approval) ?? null };
}

/**
 * As for agents' calls, nobody is asked if the run is near Inngest's step limit, unless an earlier attempt of the step
 * has already written the request.
 */
async function refusalOfFullRun(
  { limits, store }: Runtime,
  requestId: string,
  { tenantId, runId, steps }: Pick<Proposer, "tenantId" | "runId"> & { steps: number },
  action: string,
): Promise<Refusal | undefined> {
  if (steps < limits.stepsPerRun || (await store.approvalsOf(requestId)).length > 0) return undefined;
  const refusal = runNearlyFull(action, steps);
  const data = { toolName: storableText(action), code: refusal.code, runId };
  await store.recordNote({ tenantId, type: "call.refused", data });
  return refusal;
}
