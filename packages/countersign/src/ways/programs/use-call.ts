import type { Evaluation } from "@countersign/policy/internal/policy/policy";
import { distinctChecks } from "@countersign/policy/internal/safety-checks/safety-check";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { Approval } from "../../approval/approval.js";
import { proposedOf } from "../../approval/proposed.js";
import {
  checksAtStart,
  checksObjection,
  refusalByChecks,
  type StartChecks,
} from "../../call/execute/safety-checks.js";
import type { Runtime } from "../../call/run/runtime.js";
import { countedAtStart } from "../../counting/call-counts.js";
import { ranAs, signOutcome } from "../../evidence/outcome-proof.js";
import { startCheck } from "../../gate/start-check.js";
import type { StartCheck } from "../../store/ports/approval-port.js";
import { evaluateExternal } from "./evaluate-external.js";
import { exactInputJson } from "./exact-input.js";
import type { ExternalCallPermit, ExternalCallUse } from "./external-call.js";
import { outcomeOf, readCurrent, readOwnCall } from "./outcome-of-call.js";
import { isSameCall } from "./same-call.js";

const outcomeJson = JSON.stringify({ status: "executed", data: "The program continued" });

/** Consumes the approval of exactly this call. If several attempts happen at once, only one succeeds. */
export async function useCall(runtime: Runtime, call: ExternalCallUse): Promise<ExternalCallPermit> {
  const { store, signer } = runtime;
  const approval = await readCurrent(runtime, call);
  await requireSameCall(runtime, approval, call);
  if (approval.status !== "approved") return { go: false, outcome: await outcomeOf(runtime, approval) };
  const verdict = await verdictNow(runtime, approval, call.principal);
  const ran = await checksBeforeUse(runtime, approval, call.principal, verdict);
  const check = await stillCovered(runtime, approval, verdict, ran);
  const claim = await store.claim(approval.id, "once", check, signer);
  if (claim.outcome !== "claimed") {
    const current = await readOwnCall(runtime, call);
    const refusal = claim.outcome === "refused" ? refusalByChecks(ran, claim.approval) : undefined;
    const outcome = refusal && { status: "refused" as const, approvalId: approval.id, refusal };
    return { go: false, outcome: outcome ?? (await outcomeOf(runtime, current)) };
  }
  const { id: approvalId, tenantId, digest } = claim.approval;
  const evidence = await store.readEvidence(tenantId, approvalId);
  const outcomeToken = signer
    ? await signOutcome(
        claim.approval,
        ranAs(claim.approval),
        { status: "executed", outcomeJson, at: await store.now() },
        signer,
      )
    : null;
  await store.finish(approvalId, { status: "executed", outcomeJson, outcomeToken }, claim.approval);
  return { go: true, approvalId, digest, evidence: evidence?.token ?? null };
}

/** Refuses a call that differs from the approved one, and records that in the audit log. */
async function requireSameCall(
  { store, limits }: Runtime,
  approval: Approval,
  { toolName, input, digest = approval.digest }: ExternalCallUse,
): Promise<void> {
  const checked = exactInputJson(input, limits.argumentBytes);
  const isSame = checked.ok && isSameCall(approval, { toolName: toolName.trim(), inputJson: checked.json });
  if (isSame && digest === approval.digest) return;
  const { id: approvalId, tenantId } = approval;
  const data = { toolName: storableText(toolName), code: "digest_mismatch", runId: null, approvalId };
  await store.recordNote({ tenantId, type: "call.refused", data });
  throw new CountersignError(
    "digest_mismatch",
    "The tool's name, the arguments or the digest differ from the call that was requested. The approval was not used. Send exactly the requested call, or request this one",
  );
}

/** The last check: that of the gate, for the program's present roles, and the results of the safety checks. */
async function stillCovered(
  runtime: Runtime,
  read: Approval,
  verdict: Evaluation,
  ran: StartChecks | undefined,
): Promise<StartCheck> {
  const { requesterId } = read;
  const judgeNow = () => verdict;
  const check = await startCheck(runtime, {
    proposed: proposedOf(read, runtime.signer !== undefined),
    requesterId,
    judgeNow,
  });
  return (approval, basis) => {
    const checks = distinctChecks(approval.toolName, verdict.terms.checks);
    return check(approval, basis) ?? checksObjection(ran, approval, checks, runtime.policy.version);
  };
}

/** The present verdict. The arguments of such a call never change. */
async function verdictNow(runtime: Runtime, approval: Approval, { id, roles }: Principal) {
  const { toolName, inputJson, policyContext } = approval;
  const requester = { id, roles };
  const call = { toolName, input: JSON.parse(inputJson), profile: policyContext.profile ?? undefined };
  const counted = await countedAtStart(runtime, { toolName }, approval);
  return evaluateExternal(runtime.policy, { ...call, requester, counted });
}

/** The results of the safety checks of the rules; `undefined` if there are none. */
async function checksBeforeUse(
  runtime: Runtime,
  approval: Approval,
  principal: Principal,
  { terms }: Evaluation,
): Promise<StartChecks | undefined> {
  const checks = distinctChecks(approval.toolName, terms.checks);
  if (checks.length === 0) return undefined;
  const { tenantId, id, roles } = principal;
  return checksAtStart(runtime, checks, approval, { tenantId, threadId: null, requester: { id, roles } });
}
