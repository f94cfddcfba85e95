import type { Runtime } from "../agent-hook/run/runtime.js";
import type { Proposed } from "../approval/proposed.js";
import { decisionUnproven, type Refusal, refusalFor } from "../approval/refusal-text.js";
import { isOutcomeProven, signOutcome } from "../evidence/outcome-proof.js";
import { noteUnproven } from "../gate/read-replacement.js";
import { startCheck } from "../gate/start-check.js";
import { CountersignError } from "../shared/errors.js";
import type { AskedFor } from "./asked-for.js";

interface UsedApproval {
  approvalId: string;
  refusal: Refusal | null;
}

const outcomeJson = JSON.stringify({ status: "executed", data: "The function continued" });

/** Consumes the approval once. A step that is repeated after a crash recognizes its own earlier consumption. */
export async function useApproval(
  runtime: Runtime,
  { terms, requester }: AskedFor,
  approvalId: string,
  proposed: Proposed,
): Promise<UsedApproval> {
  const { store, signer } = runtime;
  const requesterId = requester?.id ?? null;
  // The request's own terms act as its policy.
  const check = startCheck(runtime, { proposed, requesterId, judgeNow: () => ({ kind: "ask", terms }) });
  const claim = await store.claim(approvalId, "idempotent", check, signer);
  if (claim.outcome === "not_found") {
    throw new CountersignError("not_found", `Unknown approval ${approvalId}`);
  }
  const { approval } = claim;
  if (claim.outcome === "refused") {
    const refusal = refusalFor(approval);
    // Neither refused nor approved: this step consumed it before a crash, or someone changed the row by hand.
    if (refusal || !signer || (await isOutcomeProven(approval, proposed, signer))) {
      return { approvalId, refusal: refusal ?? null };
    }
    await noteUnproven(store, approval);
    return { approvalId, refusal: decisionUnproven(approvalId) };
  }
  const outcomeToken = signer
    ? await signOutcome(approval, { status: "executed", outcomeJson }, signer)
    : null;
  await store.finish(approvalId, { status: "executed", outcomeJson, outcomeToken });
  return { approvalId, refusal: null };
}
