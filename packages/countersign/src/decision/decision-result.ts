import type { Approval } from "../approval/approval.js";
import { CountersignError } from "../errors.js";
import type { DecideResult, WakeUp } from "../store/store.js";

/** The approval as decided (or as it was decided by the same words before), or the error that the loser gets. */
export function approvalOrError(result: DecideResult): Approval {
  switch (result.outcome) {
    case "decided":
    case "voted":
    case "repeated":
      return result.approval;
    case "not_found":
      throw new CountersignError("not_found", "There is no such approval, or you may not see it");
    case "forbidden":
      throw new CountersignError("forbidden", "You may see this call but not decide it", {
        detail: { approvers: result.approval.approvers },
      });
    case "self_approval":
      throw new CountersignError("self_approval", "You asked for this call, so somebody else must decide it");
    case "not_allowed":
      throw new CountersignError(
        "decision_not_allowed",
        `type: this call can only be decided by ${result.approval.terms.decisions.join(" or ")}`,
        { detail: { decisions: result.approval.terms.decisions } },
      );
    case "not_open":
      throw new CountersignError(
        "not_open",
        "This call is not open for decisions yet; try again in a moment",
      );
    case "digest_mismatch":
      throw new CountersignError(
        "digest_mismatch",
        "digest: the call is not the one that you were shown. Load it again, look at it, and send its digest",
      );
    case "expired":
      throw new CountersignError(
        "expired",
        "The time to decide ran out. The call did not run and will not run",
        {
          detail: { expiresAt: result.approval.expiresAt?.toISOString() ?? null },
        },
      );
    case "lost":
      throw lost(result.approval);
  }
}

const pastTense = { approve: "approved", edit: "approved with changes", deny: "denied", respond: "answered" };

function lost(approval: Approval): CountersignError {
  if (!approval.decision) {
    return new CountersignError("withdrawn", "The call was withdrawn before anybody decided", {
      detail: { cause: approval.withdrawalCause },
    });
  }
  const { type, decidedBy, decidedAt } = approval.decision;
  const winner = decidedBy ?? "the policy";
  return new CountersignError("already_decided", `${winner} has already ${pastTense[type]} this call`, {
    detail: {
      decidedBy: winner,
      decision: type,
      decidedAt: decidedAt.toISOString(),
      approvalStatus: approval.status,
    },
  });
}

/** Whom a decision wakes, also where the caller lost: the last open call may have run out under the decision. */
export function wakeUpOf(result: { outcome: string; wakeUp?: WakeUp | undefined }): WakeUp[] {
  return result.wakeUp ? [result.wakeUp] : [];
}
