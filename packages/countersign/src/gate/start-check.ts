import { type VerdictKind, verdictKinds } from "@countersign/policy/internal/policy/rules/rule";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import type { Approval } from "../approval/approval.js";
import { type ApprovalBasis, type ApprovingTerms, satisfies } from "../approval/approval-basis.js";
import { isIntact } from "../approval/intact.js";
import type { Proposed } from "../approval/proposed.js";
import { signingKeyMissing } from "../evidence/signing-key-missing.js";
import type { GrantConditions } from "../grants/grant-conditions.js";
import type { Objection, StartCheck } from "../store/ports/approval-port.js";
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
export async function startCheck(
  gate: Pick<GateRuntime, "signer">,
  { proposed, requesterId, toolObjection, previewNow, judgeNow }: Starting,
): Promise<StartCheck> {
  const { GrantConditions } = await import("../grants/grant-conditions.js");
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
    return (
      objection ??
      (isGrantMet(new GrantConditions(), approval, basis, preview) ? undefined : { cause: "effects_changed" })
    );
  };
}

/** Whether a call still meets the condition of its grant, if there is one. Only its effects may be others than before. */
function isGrantMet(
  conditions: GrantConditions,
  approval: Approval,
  basis: ApprovalBasis | undefined,
  preview: RecordedPreview | null,
): boolean {
  const condition = basis?.by === "grant" ? basis.condition : null;
  if (!condition) return true;
  const call = { ...approval, terms: { ...approval.terms, preview } };
  return conditions.hold(condition.text, call, condition.authorSeesAll);
}

/** The people or the grant behind an approval, and the facts about the call that the run itself knows. */
interface BasisFacts {
  /** `undefined` if the evidence is invalid, which the caller reports. */
  basis: ApprovalBasis | undefined;
  proposed: Proposed;
  requesterId: string | null;
  /** The approvers that the current policy requires; `undefined` if it allows the call without approval. */
  now: ApprovingTerms | undefined;
}

/**
 * Returns why the people or the grant behind an approval do not satisfy the terms at proposal or the current ones;
 * `undefined` if they satisfy both.
 *
 * @throws CountersignError `signing_key_missing` if decisions are signed and this process cannot verify them.
 */
function basisObjection(
  { signer }: Pick<GateRuntime, "signer">,
  approval: Approval,
  { basis, proposed, requesterId, now }: BasisFacts,
): Objection | undefined {
  if (proposed.signed && !signer) throw signingKeyMissing(approval.id);
  if (!basis) return undefined;
  const call = { requesterId, proposedAt: proposed.at };
  if (signer && !satisfies(proposedTerms(approval), basis, call)) {
    return { cause: "evidence_invalid", field: "approvers" };
  }
  return now && !satisfies(now, basis, call) ? { cause: "policy_changed" } : undefined;
}

/** The approvers that the policy required when the call was proposed. */
export function proposedTerms({ terms, proposedRoles, approvers }: Approval): ApprovingTerms {
  return { ...terms, approvers: { roles: proposedRoles, ids: approvers.ids } };
}
