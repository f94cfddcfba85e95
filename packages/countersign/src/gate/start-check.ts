import type { Approval } from "../approval/approval.js";
import type { ApprovingTerms } from "../approval/approval-basis.js";
import { isIntact } from "../approval/intact.js";
import type { Proposed } from "../approval/proposed.js";
import { type VerdictKind, verdictKinds } from "../policy/rules/rule.js";
import type { Objection, StartCheck } from "../store/ports/approval-port.js";
import { basisObjection } from "./basis-objection.js";
import type { GateRuntime } from "./gate.js";

/** What the way in knows about a call that is about to start. */
interface Starting {
  proposed: Proposed;
  requesterId: string | null;
  /** Whether the call's tool is still the one that was approved. @default it is */
  toolObjection?(approval: Approval): Objection | undefined;
  /** The present policy's verdict on the arguments that would run. */
  judgeNow(approval: Approval): { kind: VerdictKind; terms: ApprovingTerms };
}

/**
 * The last check before a start. Is the row what was proposed, the tool unchanged, the policy no stricter? Are those who
 * approved the approvers of both the policy at the proposal and the present one?
 */
export function startCheck(
  gate: Pick<GateRuntime, "signer">,
  { proposed, requesterId, toolObjection, judgeNow }: Starting,
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
    return basisObjection(gate, approval, { basis, proposed, requesterId, now });
  };
}
