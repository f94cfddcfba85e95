import { type VerdictKind, verdictKinds } from "@countersign/policy/internal/policy/rules/rule";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import type { Approval } from "../approval/approval.js";
import type { ApprovalBasis, ApprovingTerms } from "../approval/approval-basis.js";
import { isIntact } from "../approval/intact.js";
import type { Proposed } from "../approval/proposed.js";
import { GrantConditions } from "../grants/grant-conditions.js";
import type { Objection, StartCheck } from "../store/ports/approval-port.js";
import { basisObjection } from "./basis-objection.js";
import type { GateRuntime } from "./gate.js";

/** What the way in knows about a call that is about to start. */
interface Starting {
  proposed: Proposed;
  requesterId: string | null;
  /** Whether the call's tool is still the one that was approved. @default it is */
  toolObjection?(approval: Approval): Objection | undefined;
  /** What the preview of the call says now, for the condition of a grant. @default what it said at the proposal */
  previewNow?(approval: Approval): RecordedPreview | null;
  /** The present policy's verdict on the arguments that would run. */
  judgeNow(approval: Approval): { kind: VerdictKind; terms: ApprovingTerms };
}

/**
 * The last check before a start. Is the row what was proposed, the tool unchanged, the policy no stricter? Are those who
 * approved the approvers of both the policy at the proposal and the present one? Is the grant that approved still met?
 */
export function startCheck(
  gate: Pick<GateRuntime, "signer">,
  { proposed, requesterId, toolObjection, previewNow, judgeNow }: Starting,
): StartCheck {
  return (approval, basis) => {
    if (!isIntact(approval, proposed)) return { cause: "digest_changed" };
    const changed = toolObjection?.(approval);
    if (changed) return changed;
    const { kind, terms } = judgeNow(approval);
    // Approval by a person covers an `ask`. Otherwise the present verdict may be `notify` at most.
    const covered = approval.verdict === "ask" ? "ask" : "notify";
    if (verdictKinds.indexOf(kind) > verdictKinds.indexOf(covered)) return { cause: "policy_changed" };
    if (approval.verdict !== "ask") return undefined;
    const now = kind === "ask" ? terms : undefined;
    const objection = basisObjection(gate, approval, { basis, proposed, requesterId, now });
    const preview = previewNow ? previewNow(approval) : approval.terms.preview;
    return objection ?? (isGrantMet(approval, basis, preview) ? undefined : { cause: "effects_changed" });
  };
}

/** Whether a call still meets the condition of its grant, if there is one. Only its effects may be others than before. */
function isGrantMet(
  approval: Approval,
  basis: ApprovalBasis | undefined,
  preview: RecordedPreview | null,
): boolean {
  const condition = basis?.by === "grant" ? basis.condition : null;
  if (!condition) return true;
  const call = { ...approval, terms: { ...approval.terms, preview } };
  return new GrantConditions().hold(condition.text, call, condition.authorSeesAll);
}
