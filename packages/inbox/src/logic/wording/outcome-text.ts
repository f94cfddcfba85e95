import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { isRecord } from "../arguments/paths.js";
import { elapsedText } from "./countdown.js";
import { exactTime } from "./exact-time.js";
import { isQuestion } from "./sentence.js";

/** The decision and its outcome: "finance approved with 1 change · ran · 1.2 s". */
export function outcomeText(approval: Approval, changes: number, meId?: string | null): string {
  return [decisionText(approval, changes, meId), endText(approval)].filter(Boolean).join(" · ");
}

/** Whether the policy let the call run, and people were only told. */
function ranUnasked({ verdict, decision, grantId }: Approval): boolean {
  return verdict === "notify" && (decision?.decidedBy ?? null) === null && grantId === null;
}

function decisionText(approval: Approval, changes: number, meId: string | null | undefined): string {
  const { decision, status, grantId } = approval;
  const { by, outcome } = words.decided;
  if (ranUnasked(approval)) return status === "approved" ? outcome.allowedUnasked : "";
  if (status === "expired" && decision === null) return outcome.undecided;
  if (decision === null) return "";
  const { decidedBy } = decision;
  const automatic = grantId ? by.grant : by.policy;
  const who = decidedBy === null ? automatic : decidedBy === meId ? by.you : by.person(decidedBy);
  switch (decision.type) {
    case "approve":
      return outcome.approved(who);
    case "edit":
      return outcome.approvedWithChanges(who, changes);
    case "deny":
      return outcome.denied(who);
    case "respond":
      return isDeclined(approval) ? outcome.declined(who) : outcome.answered(who);
  }
}

function isDeclined(approval: Approval): boolean {
  return isQuestion(approval) && isRecord(approval.response) && approval.response.action === "decline";
}

/** Explains when an approval expired and what happens next. */
export function expiredText(approval: Approval): string {
  const { decision, expiresAt, finishedAt } = approval;
  const { expired } = words.decided;
  if (decision !== null) {
    const end = finishedAt ? expired.at(exactTime(finishedAt)) : expired.plain;
    return [expired.unused, end, expired.mayAskAgain].join(" ");
  }
  const end = isQuestion(approval) ? expired.unanswered : expired.undecided;
  return expiresAt ? `${expired.at(exactTime(expiresAt))} ${end}` : end;
}

function endText(approval: Approval): string {
  const { status, startedAt, finishedAt, withdrawalCause, resolution } = approval;
  const { outcome, resolution: resolved } = words.decided;
  const elapsedMs = startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : 0;
  // The audit trail has shorter ones.
  const took = elapsedMs < 1000 ? undefined : elapsedText(elapsedMs);
  switch (status) {
    case "approved":
      return outcome.notStarted;
    case "executing":
      return outcome.running;
    case "executed":
      return [ranUnasked(approval) ? outcome.ranUnasked : outcome.ran, took].filter(Boolean).join(" · ");
    case "failed":
      return [outcome.ranAndFailed, took].filter(Boolean).join(" · ");
    case "interrupted":
      return resolution ? `${outcome.interrupted} · ${resolved[resolution.outcome]}` : outcome.mayHaveRun;
    case "expired":
      return outcome.expired;
    case "withdrawn":
      return outcome.withdrawn(words.display.withdrawals[withdrawalCause ?? "orchestration_failed"]);
    default:
      return "";
  }
}
