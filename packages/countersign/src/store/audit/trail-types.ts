/** After any of these a call can no longer start, whatever its row says. */
export const ends = [
  "approval.denied",
  "approval.denied_by_policy",
  "approval.responded",
  "approval.expired",
  "approval.withdrawn",
  "approval.executed",
  "approval.failed",
  "approval.interrupted",
] as const;

/** Each of these names the evidence that lets the call start. */
export const approvalTypes = ["approval.approved", "approval.edited", "approval.granted"] as const;

/** The types of the entries about a call that are judged. */
export const relevantTypes = [
  ...ends,
  // These name the signed wish for an undo.
  "approval.proposed",
  "approval.notified",
  "approval.announced",
  "approval.escalated",
  "approval.extended",
  "approval.voted",
  "approval.assigned",
  "approval.held",
  "approval.taken_back",
  ...approvalTypes,
  "approval.executing",
  "approval.resolved",
  "call.undo_started",
  "call.undone",
] as const;
