import { backingObjection } from "../agent-hook/execution/backing-objection.js";
import type { Runtime } from "../agent-hook/runtime.js";
import type { Approval } from "../approval/approval.js";
import { isIntact } from "../approval/intact.js";
import { signOutcome } from "../evidence/outcome-proof.js";
import { verdictKinds } from "../policy/rules/rule.js";
import { CountersignError } from "../shared/errors.js";
import type { Principal } from "../shared/principal.js";
import { storableText } from "../shared/storable-text.js";
import type { StartCheck } from "../store/approval/approval-port.js";
import { evaluateExternal } from "./evaluate-external.js";
import { exactInputJson } from "./exact-input.js";
import type { ExternalCallPermit, ExternalCallUse } from "./external-call.js";
import { outcomeOf, proposedOf, readCurrent, readOwnCall } from "./outcome-of-call.js";
import { isSameCall } from "./same-call.js";

const outcomeJson = JSON.stringify({ status: "executed", data: "The program continued" });

/** Consumes the approval of exactly this call. If several attempts happen at once, only one succeeds. */
export async function useCall(runtime: Runtime, call: ExternalCallUse): Promise<ExternalCallPermit> {
  const { store, signer } = runtime;
  const approval = await readCurrent(runtime, call);
  await requireSameCall(runtime, approval, call);
  if (approval.status !== "approved") return { go: false, outcome: await outcomeOf(runtime, approval) };
  const claim = await store.claim(
    approval.id,
    "once",
    stillCovered(runtime, approval, call.principal),
    signer,
  );
  if (claim.outcome !== "claimed") {
    return { go: false, outcome: await outcomeOf(runtime, await readOwnCall(runtime, call)) };
  }
  const { id: approvalId, tenantId, digest } = claim.approval;
  const evidence = await store.readEvidence(tenantId, approvalId);
  const outcomeToken = signer
    ? await signOutcome(claim.approval, { status: "executed", outcomeJson }, signer)
    : null;
  await store.finish(approvalId, { status: "executed", outcomeJson, outcomeToken });
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

/**
 * The last check: the row is what people saw, the policy is no stricter (also for the program's current roles), and the
 * approvers are the required ones.
 */
function stillCovered(runtime: Runtime, read: Approval, { id, roles }: Principal): StartCheck {
  const proposed = proposedOf(runtime, read);
  return (approval, backing) => {
    if (!isIntact(approval, proposed)) return { cause: "digest_changed" };
    const { toolName, inputJson, requesterId, policyContext, verdict } = approval;
    const { kind, terms } = evaluateExternal(runtime.policy, {
      toolName,
      input: JSON.parse(inputJson),
      requester: { id, roles },
      profile: policyContext.profile ?? undefined,
    });
    const covered = verdict === "ask" ? "ask" : "notify";
    if (verdictKinds.indexOf(kind) > verdictKinds.indexOf(covered)) return { cause: "policy_changed" };
    if (verdict !== "ask") return undefined;
    const now = kind === "ask" ? terms : undefined;
    return backingObjection(runtime, approval, { backing, proposed, requesterId, now });
  };
}
