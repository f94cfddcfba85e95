import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Approval } from "../approval/approval.js";
import type { Stop } from "../stops/stop.js";
import type { DecideResult } from "../store/ports/approval-port.js";
import type { WakeUp } from "../store/ports/request-port.js";

/** The approval as decided (also if an identical decision was made before), or the error for the loser. */
export function approvalOrError(result: DecideResult): Approval {
  switch (result.outcome) {
    case "decided":
    case "voted":
    case "repeated":
      return result.approval;
    case "not_found":
      throw new CountersignError("not_found", "The approval does not exist, or you may not see it");
    case "forbidden":
      throw new CountersignError("forbidden", "You may see this call but not decide it", {
        detail: { approvers: result.approval.approvers },
      });
    case "self_approval":
      throw new CountersignError(
        "self_approval",
        "You requested this call, so someone else must approve it. You can still deny it",
      );
    case "not_allowed":
      throw new CountersignError(
        "decision_not_allowed",
        `type: must be ${result.approval.terms.decisions.join(" or ")} for this call`,
        { detail: { decisions: result.approval.terms.decisions } },
      );
    case "wrong_place":
      throw wrongPlace(result.approval);
    case "not_open":
      throw new CountersignError("not_open", "This call cannot be decided yet; try again in a moment");
    case "stopped":
      throw stopped(result.stop);
    case "digest_mismatch":
      throw new CountersignError(
        "digest_mismatch",
        "digest: the call differs from the one you were shown. Reload it, review it, and send its current digest",
      );
    case "digest_changed":
      throw new CountersignError(
        "digest_changed",
        "The stored call no longer matches its digest: it was changed in the database after it was proposed. No decision was recorded, and the call is withdrawn. Inform the operator of this installation",
      );
    case "expired":
      throw new CountersignError("expired", "The approval expired. The call did not run and will not run", {
        detail: { expiresAt: result.approval.expiresAt?.toISOString() ?? null },
      });
    case "lost":
      throw lost(result.approval);
  }
}

export function wrongPlace({ terms: { decideIn } }: Approval): CountersignError {
  const places = decideIn.map((place) => (place === inboxPlace ? "the inbox" : place)).join(" or ");
  return new CountersignError("wrong_place", `The rules want this call to be decided in ${places}`, {
    detail: { decideIn },
  });
}

function stopped({ id, tool, reason, engagedBy, engagedAt }: Stop): CountersignError {
  return new CountersignError(
    "stopped",
    `${engagedBy} has stopped calls of this tool, so this call cannot be approved: ${reason}`,
    { detail: { stop: { id, tool, reason, engagedBy, engagedAt: engagedAt.toISOString() } } },
  );
}

const pastTense = { approve: "approved", edit: "approved with changes", deny: "denied", respond: "answered" };

function lost(approval: Approval): CountersignError {
  const decision = approval.held ?? approval.decision;
  if (!decision) {
    return new CountersignError("withdrawn", "The call was withdrawn before anyone decided", {
      detail: { cause: approval.withdrawalCause },
    });
  }
  const { type, decidedBy, decidedAt } = decision;
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

/** The wake-ups of a decision, also if the caller lost: the last open call may have expired during the decision. */
export function wakeUpOf(result: { outcome: string; wakeUp?: WakeUp | undefined }): WakeUp[] {
  return result.wakeUp ? [result.wakeUp] : [];
}
