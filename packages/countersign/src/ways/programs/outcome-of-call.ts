import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Approval } from "../../approval/approval.js";
import { proposedOf } from "../../approval/proposed.js";
import { approvalMissing, refusalFor } from "../../approval/refusal-text.js";
import type { Runtime } from "../../call/run/runtime.js";
import { readReplacement } from "../../gate/read-replacement.js";
import { type ExternalCallOutcome, type ExternalCallReference, isExternalCallOf } from "./external-call.js";

/** Reads the approval of this program's call. A call of another program counts as unknown. */
export async function readOwnCall(
  { store }: Pick<Runtime, "store">,
  { principal, approvalId }: ExternalCallReference,
): Promise<Approval> {
  const approval = await store.getApproval(principal.tenantId, approvalId);
  if (approval && isExternalCallOf(approval, principal)) return approval;
  throw new CountersignError("not_found", "The call does not exist, or you did not request it");
}

/** Reads the approval, and expires it if it is overdue: no run waits for these calls and would do so. */
export async function readCurrent(runtime: Runtime, call: ExternalCallReference): Promise<Approval> {
  const approval = await readOwnCall(runtime, call);
  const { store } = runtime;
  const isOverdue = approval.expiresAt !== null && approval.expiresAt <= (await store.now());
  if (approval.status !== "pending" || !isOverdue) return approval;
  await store.settle(approval.requestId, 0);
  return readOwnCall(runtime, call);
}

/** The state in the row, in the form for the program. */
export async function outcomeOf(runtime: Runtime, approval: Approval): Promise<ExternalCallOutcome> {
  const { id: approvalId, digest, status, expiresAt, toolName } = approval;
  if (isOpen(status)) return { status: "pending", approvalId, digest, expiresAt };
  if (status === "approved") return { status: "approved", approvalId, digest };
  if (status === "responded") {
    const { responseJson, refusal } = await readReplacement(
      runtime,
      approval.tenantId,
      approvalId,
      proposedOf(approval, runtime.signer !== undefined),
    );
    return refusal
      ? { status: "refused", approvalId, refusal }
      : { status: "responded", approvalId, result: JSON.parse(responseJson ?? "null") };
  }
  if (["executing", "executed", "failed", "interrupted"].includes(status)) {
    return { status: "used", approvalId };
  }
  const refusal = refusalFor(approval) ?? approvalMissing(toolName, approvalId);
  return { status: "refused", approvalId, refusal };
}
