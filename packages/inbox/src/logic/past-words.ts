import type { Approval, ApprovalStatus } from "../api/approval.js";
import { tookWords } from "./countdown.js";
import { exactTime } from "./exact-time.js";
import { isRecord } from "./paths.js";
import { isQuestion } from "./sentence.js";

const withdrawn: Record<string, string> = {
  run_cancelled: "the run was cancelled",
  run_failed: "the run failed",
  policy_changed: "the rules changed and now forbid it",
  tool_changed: "the tool changed after the approval",
  digest_changed: "the stored call no longer matched",
  superseded: "a newer message took its place",
  too_many_pending: "too much was waiting already",
  too_many_denials: "the last calls were all denied",
  duplicate_call: "the same call was waiting already",
  grant_revoked: "its standing approval was revoked",
  evidence_invalid: "the record of the decision could not be verified",
  orchestration_failed: "a technical fault",
};

/** A status in a word or two, for chips. */
export const statusWords: Record<ApprovalStatus, string> = {
  proposed: "not open yet",
  pending: "waiting",
  approved: "approved",
  denied: "denied",
  responded: "answered",
  expired: "expired",
  withdrawn: "withdrawn",
  executing: "running",
  executed: "ran",
  failed: "failed",
  interrupted: "may have run",
};

/** What became of it, in the past tense: "finance approved with 1 change · ran · 1.2 s". */
export function pastWords(approval: Approval, changes: number, meId?: string | null): string {
  return [decisionWords(approval, changes, meId), endWords(approval)].filter(Boolean).join(" · ");
}

function decisionWords(approval: Approval, changes: number, meId: string | null | undefined): string {
  const { decision, status, grantId } = approval;
  if (status === "expired" && decision === null) return "nobody decided in time";
  if (decision === null) return "";
  const who =
    decision.decidedBy === null
      ? grantId
        ? "a standing approval"
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

/** When an approval expired, and what happens next. */
export function expiredWords(approval: Approval): string {
  const { decision, expiresAt, finishedAt } = approval;
  if (decision !== null) {
    const at = finishedAt ? ` at ${exactTime(finishedAt)}` : "";
    return `Its run did not come to start it in time; that was noted${at}. It did not run, and the agent may ask again.`;
  }
  const at = expiresAt ? `Its time ended at ${exactTime(expiresAt)}. ` : "";
  return isQuestion(approval)
    ? `${at}The agent is told that nobody answered, and may ask again.`
    : `${at}It did not run. The agent is told that nobody decided in time, and may ask again.`;
}

function endWords(approval: Approval): string {
  const { status, startedAt, finishedAt, withdrawalCause, resolution } = approval;
  const took =
    startedAt && finishedAt ? tookWords(Date.parse(finishedAt) - Date.parse(startedAt)) : undefined;
  switch (status) {
    case "approved":
      return "not started yet";
    case "executing":
      return "running";
    case "executed":
      return ["ran", took].filter(Boolean).join(" · ");
    case "failed":
      return ["ran and failed", took].filter(Boolean).join(" · ");
    case "interrupted":
      return resolution ? `cut off · ${resolutionWords[resolution.outcome]}` : "cut off, may have run";
    case "expired":
      return "expired";
    case "withdrawn":
      return `withdrawn: ${(withdrawalCause && withdrawn[withdrawalCause]) ?? "no longer wanted"}`;
    default:
      return "";
  }
}

export const resolutionWords = {
  done: "a person found that it was done",
  failed: "a person found that it was not done",
  rerun: "a person let it run once more",
} as const;
