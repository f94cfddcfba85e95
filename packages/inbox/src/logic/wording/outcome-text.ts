import { withdrawalText } from "countersign/display";
import type { Approval, ApprovalStatus } from "../../api/approval.js";
import { isRecord } from "../arguments/paths.js";
import { elapsedText } from "./countdown.js";
import { exactTime } from "./exact-time.js";
import { isQuestion } from "./sentence.js";

/** A status as a short label. */
export const statusLabels: Record<ApprovalStatus, string> = {
  proposed: "proposed",
  pending: "pending",
  approved: "approved",
  denied: "denied",
  responded: "answered",
  expired: "expired",
  withdrawn: "withdrawn",
  executing: "running",
  executed: "ran",
  failed: "failed",
  interrupted: "interrupted",
};

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
  if (ranUnasked(approval)) return status === "approved" ? "allowed without a question" : "";
  if (status === "expired" && decision === null) return "no decision in time";
  if (decision === null) return "";
  const who =
    decision.decidedBy === null
      ? grantId
        ? "a grant"
        : "the policy"
      : decision.decidedBy === meId
        ? "you"
        : decision.decidedBy;
  switch (decision.type) {
    case "approve":
      return `${who} approved`;
    case "edit":
      return `${who} approved with ${changes === 1 ? "1 change" : `${changes || "some"} changes`}`;
    case "deny":
      return `${who} denied`;
    case "respond":
      return `${who} ${isDeclined(approval) ? "declined to answer" : "answered"}`;
  }
}

function isDeclined(approval: Approval): boolean {
  return isQuestion(approval) && isRecord(approval.response) && approval.response.action === "decline";
}

/** Explains when an approval expired and what happens next. */
export function expiredText(approval: Approval): string {
  const { decision, expiresAt, finishedAt } = approval;
  if (decision !== null) {
    const at = finishedAt ? ` at ${exactTime(finishedAt)}` : "";
    return `Approved, but the run never started it. Expired${at}. The agent may ask again.`;
  }
  const at = expiresAt ? `Expired at ${exactTime(expiresAt)}. ` : "";
  return isQuestion(approval)
    ? `${at}The agent was told that nobody answered, and may ask again.`
    : `${at}It did not run. The agent was told that nobody decided in time, and may ask again.`;
}

function endText(approval: Approval): string {
  const { status, startedAt, finishedAt, withdrawalCause, resolution } = approval;
  const took =
    startedAt && finishedAt ? elapsedText(Date.parse(finishedAt) - Date.parse(startedAt)) : undefined;
  switch (status) {
    case "approved":
      return "not started yet";
    case "executing":
      return "running";
    case "executed":
      return [ranUnasked(approval) ? "ran without a question" : "ran", took].filter(Boolean).join(" · ");
    case "failed":
      return ["ran and failed", took].filter(Boolean).join(" · ");
    case "interrupted":
      return resolution ? `interrupted · ${resolutionText[resolution.outcome]}` : "interrupted, may have run";
    case "expired":
      return "expired";
    case "withdrawn":
      return `withdrawn: ${withdrawalText[withdrawalCause ?? "orchestration_failed"]}`;
    default:
      return "";
  }
}

export const resolutionText = {
  done: "a person confirmed that it ran",
  failed: "a person confirmed that it did not run",
  rerun: "a person allowed one more run",
} as const;
