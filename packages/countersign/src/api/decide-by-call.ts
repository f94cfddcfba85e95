import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import type { Countersign } from "../instance/countersign.js";
import { storeVerbs } from "../store/store.js";

/** A decision about a call that is named by its thread and the model's id of the call. */
export interface DecisionByCall {
  toolCallId: string;
  threadId: string;
  action: "approve" | "deny";
  digest?: string | undefined;
  reason?: string | null | undefined;
}

/**
 * Records a decision in the format of `@inngest/use-agent`.
 *
 * @throws CountersignError `digest_required`, `not_found`, `invalid_request` if several calls have this id, and those of
 * `countersign.decide`.
 */
export async function decideByCall(
  { store, decide }: Pick<Countersign, "store" | "decide">,
  principal: Principal,
  { toolCallId, threadId, action, digest, reason = null }: DecisionByCall,
  { approveWithoutDigest }: { approveWithoutDigest: boolean },
): Promise<Approval> {
  if (digest === undefined && !approveWithoutDigest) throw digestRequired();
  const calls = await storeVerbs(store).listApprovals({
    tenantId: principal.tenantId,
    visibleTo: principal,
    threadId,
    toolCallId,
    limit: 2,
  });
  const [approval] = calls;
  if (!approval) {
    throw new CountersignError("not_found", "The call does not exist in this thread, or you may not see it");
  }
  if (calls.length > 1) {
    throw new CountersignError(
      "invalid_request",
      "toolCallId: several calls of this thread have this id. Decide with POST /approvals/{id}/decision instead",
      { detail: { errors: [{ field: "toolCallId", message: "is not unique in this thread" }] } },
    );
  }
  return decide({
    approvalId: approval.id,
    principal,
    type: action,
    digest: digest ?? approval.digest,
    reason,
  });
}

function digestRequired(): CountersignError {
  return new CountersignError(
    "digest_required",
    "digest: send the digest of the call you were shown, or decide with POST /approvals/{id}/decision. To accept decisions without one, as @inngest/use-agent sends them, set approveWithoutDigest in the options of approvalsApi or agentKitChat",
    { detail: { errors: [{ field: "digest", message: "is required" }] } },
  );
}
