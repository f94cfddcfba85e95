import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Approval } from "../../approval/approval.js";
import type { Proposed } from "../../approval/proposed.js";
import { decisionUnproven, type Refusal, refusalFor } from "../../approval/refusal-text.js";
import {
  previewAtStart,
  previewObjection,
  refusalByPreview,
  rehearseAtStart,
  type StartPreview,
} from "../../call/execute/previews.js";
import type { Runtime } from "../../call/run/runtime.js";
import { isOutcomeProven, ranAs, signOutcome } from "../../evidence/outcome-proof.js";
import { noteUnproven } from "../../gate/read-replacement.js";
import { startCheck } from "../../gate/start-check.js";
import type { AskedFor } from "./asked-for.js";

interface UsedApproval {
  approvalId: string;
  refusal: Refusal | null;
}

const outcomeJson = JSON.stringify({ status: "executed", data: "The function continued" });

/** Consumes the approval once. A step that is repeated after a crash recognizes its own earlier consumption. */
export async function useApproval(
  runtime: Runtime,
  asked: AskedFor,
  approvalId: string,
  proposed: Proposed,
): Promise<UsedApproval> {
  const { store, signer } = runtime;
  const { terms, requester } = asked;
  const requesterId = requester?.id ?? null;
  // The request's own terms act as its policy.
  const judgeNow = () => ({ kind: "ask" as const, terms });
  const rehearsed = await rehearsedAgain(runtime, asked, approvalId);
  const toolObjection = (approval: Approval) => previewObjection(rehearsed, approval);
  const previewNow = (approval: Approval) => previewAtStart(rehearsed, approval);
  const check = await startCheck(runtime, { proposed, requesterId, judgeNow, toolObjection, previewNow });
  const claim = await store.claim(approvalId, "idempotent", check, signer);
  if (claim.outcome === "not_found") {
    throw new CountersignError("not_found", `Unknown approval ${approvalId}`);
  }
  const { approval } = claim;
  if (claim.outcome === "refused") {
    const refusal = refusalByPreview(rehearsed, approval) ?? refusalFor(approval);
    // Neither refused nor approved: this step consumed it before a crash, or someone changed the row by hand.
    if (refusal || !signer || (await isOutcomeProven(approval, proposed, signer))) {
      return { approvalId, refusal: refusal ?? null };
    }
    await noteUnproven(store, approval);
    return { approvalId, refusal: decisionUnproven(approvalId) };
  }
  const outcomeToken = signer
    ? await signOutcome(
        approval,
        ranAs(approval),
        { status: "executed", outcomeJson, at: await store.now() },
        signer,
      )
    : null;
  await store.finish(approvalId, { status: "executed", outcomeJson, outcomeToken }, approval);
  return { approvalId, refusal: null };
}

/** What the action would change now, unless the approval is used already. The row is only read for a preview. */
async function rehearsedAgain(
  runtime: Runtime,
  { action: name, preview, ...subject }: AskedFor,
  approvalId: string,
): Promise<StartPreview | undefined> {
  const approval = preview && (await runtime.store.getApproval(subject.tenantId, approvalId));
  if (approval?.status !== "approved") return undefined;
  return rehearseAtStart(runtime, { name, preview }, approval, subject);
}
