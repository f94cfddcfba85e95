import type { Approval, WithdrawalCause } from "../../approval/approval.js";
import type { CardOutcome } from "../../channels/channel.js";
import { visibleText } from "../../display/visible-text.js";

const maxName = 120;
const maxReason = 1_000;

const withdrawn: Record<WithdrawalCause, string> = {
  run_cancelled: "the run was cancelled",
  run_failed: "the run failed",
  run_lost: "the workflow engine lost the run",
  policy_changed: "the policy changed",
  tool_changed: "the tool changed",
  digest_changed: "the stored call no longer matched its digest",
  superseded: "a newer message replaced it",
  too_many_pending: "too many calls were pending",
  too_many_denials: "too many calls were denied",
  duplicate_call: "the same call was already pending",
  grant_revoked: "its grant was revoked",
  evidence_invalid: "the evidence of the decision could not be verified",
  stopped: "an operator stopped calls of this tool",
  asker_gone: "the server that asked no longer waits for the answer",
  restored: "the database was restored from a backup",
  orchestration_failed: "a technical error",
};

/** The decision and the outcome of the call: "Approved by finance-anna. It ran". `null` while nothing has happened. */
export function cardOutcome(approval: Approval): CardOutcome | null {
  const { decision, votes } = approval;
  const sentences = [decisionWords(approval), endWords(approval)].filter((words) => words !== "");
  const [last] = votes.slice(-1);
  const at =
    approval.resolution?.resolvedAt ?? approval.finishedAt ?? approval.startedAt ?? decision?.decidedAt;
  if (sentences.length === 0) {
    return last ? { text: votesWords(approval), decidedBy: null, reason: null, at: last.votedAt } : null;
  }
  return {
    text: sentences.join(". "),
    decidedBy: decision?.decidedBy == null ? null : name(decision.decidedBy),
    reason: decision?.reason ? visibleText(decision.reason, maxReason) : null,
    at: at ?? approval.expiresAt ?? approval.createdAt,
  };
}

function decisionWords({ decision, grantId, status }: Approval): string {
  if (!decision) return status === "expired" ? "Expired before anyone decided" : "";
  const by = decision.decidedBy === null ? "the policy" : name(decision.decidedBy);
  if (grantId !== null) return `Allowed by a grant of ${by}`;
  switch (decision.type) {
    case "approve":
      return decision.decidedBy === null ? "Allowed by the policy" : `Approved by ${by}`;
    case "edit":
      return `Approved with changes by ${by}`;
    case "deny":
      return `Denied by ${by}`;
    case "respond":
      return `Answered by ${by}`;
  }
}

function endWords({ status, decision, withdrawalCause, resolution }: Approval): string {
  switch (status) {
    case "executing":
      return "It is running";
    case "executed":
      return "It ran";
    case "failed":
      return "It ran and failed";
    case "interrupted":
      return resolution
        ? `It was interrupted. ${resolved[resolution.outcome]}`
        : "It was interrupted and may have run";
    case "expired":
      return decision ? "The run never started it, so it expired" : "It did not run";
    case "withdrawn":
      return `Withdrawn: ${withdrawn[withdrawalCause ?? "orchestration_failed"] ?? "no longer needed"}`;
    default:
      return "";
  }
}

const resolved = {
  done: "A person found that it ran",
  failed: "A person found that it did not run",
  rerun: "A person allowed one more run",
} as const;

function votesWords({ votes, terms }: Approval): string {
  const of = (type: "approve" | "deny") =>
    votes.filter((vote) => vote.type === type).map((vote) => name(vote.principalId));
  const [approved, denied] = [of("approve"), of("deny")];
  const words = [`${approved.length} of ${terms.quorum} approved${inBrackets(approved)}`];
  if (denied.length > 0) words.push(`${denied.length} of ${terms.denials} denied${inBrackets(denied)}`);
  return words.join("; ");
}

function inBrackets(names: readonly string[]): string {
  return names.length > 0 ? ` (${names.join(", ")})` : "";
}

function name(id: string): string {
  return visibleText(id, maxName);
}
