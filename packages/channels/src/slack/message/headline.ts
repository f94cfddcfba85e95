import type { ApprovalStatus } from "countersign";
import type { Card } from "countersign/types";

const statusWords: Record<ApprovalStatus, string> = {
  proposed: "Approval needed",
  pending: "Approval needed",
  approved: "Approved",
  denied: "Denied",
  responded: "Answered",
  expired: "Expired",
  withdrawn: "Withdrawn",
  executing: "Approved, running",
  executed: "Approved, done",
  failed: "Approved, failed",
  interrupted: "Approved, interrupted",
};

/** The same for a call about which nobody was asked. */
const unaskedWords: Partial<Record<ApprovalStatus, string>> = {
  approved: "Allowed without a question",
  executing: "Running without a question",
  executed: "Ran without a question",
  failed: "Ran without a question, failed",
  interrupted: "Ran without a question, interrupted",
};

/** "Approval needed · high risk" for an open call, or its outcome: "Approved, done". */
export function headline({ open, risk, status, verdict, undo }: Card): string {
  if (undo?.undoneAt) return "Undone";
  const unasked = verdict === "notify" ? unaskedWords[status] : undefined;
  if (unasked !== undefined) return unasked;
  return open ? `Approval needed · ${risk} risk` : statusWords[status];
}
