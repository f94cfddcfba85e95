/** The words for one type of entry in the audit log. */
export interface AuditWords {
  /** The complete sentence, without an actor. */
  label: string;
  /** The text after the actor's name. */
  by?: string;
}

/** Every audit entry type, with its text for people. */
export const auditTypes = {
  "approval.proposed": { label: "The agent asked for it" },
  "approval.notified": { label: "The rules allowed it and notified people" },
  "approval.denied_by_policy": { label: "The rules denied it" },
  "approval.granted": {
    label: "A standing permission allowed it",
    by: "allowed it with a standing permission",
  },
  "approval.announced": { label: "People were asked" },
  "approval.reminded": { label: "People were reminded" },
  "approval.escalated": { label: "More people were asked" },
  "approval.voted": { label: "Someone voted", by: "voted" },
  "approval.held": {
    label: "Someone decided it, and may take that back",
    by: "decided it, and may take that back",
  },
  "approval.taken_back": { label: "The decision was taken back", by: "took the decision back" },
  "approval.approved": { label: "It was approved", by: "approved it" },
  "approval.edited": { label: "It was approved with changes", by: "approved it with changes" },
  "approval.denied": { label: "It was denied", by: "denied it" },
  "approval.responded": { label: "The result was supplied", by: "supplied the result" },
  "approval.assigned": { label: "It was reassigned", by: "reassigned it" },
  "approval.extended": { label: "The deadline was extended", by: "extended the deadline" },
  "approval.expired": { label: "It expired" },
  "approval.withdrawn": { label: "It was withdrawn" },
  "approval.executing": { label: "It started" },
  "approval.executed": { label: "It ran" },
  "approval.failed": { label: "It ran and failed" },
  "approval.interrupted": { label: "It was interrupted and may have run" },
  "approval.resolved": { label: "The outcome was recorded", by: "recorded the outcome" },
  "call.undo_started": { label: "Its undo started" },
  "call.undone": { label: "It was undone", by: "undid it" },
  "decision.refused": { label: "A decision was refused", by: "tried to decide it and was refused" },
  "taking_back.refused": {
    label: "Taking a decision back was refused",
    by: "tried to take a decision back and was refused",
  },
  "assignment.refused": { label: "A reassignment was refused", by: "tried to reassign it and was refused" },
  "extension.refused": {
    label: "An extension was refused",
    by: "tried to extend the deadline and was refused",
  },
  "resolution.refused": {
    label: "Recording the outcome was refused",
    by: "tried to record the outcome and was refused",
  },
  "evidence.refused": { label: "The evidence was invalid" },
  "delivery.failed": { label: "A message about it could not be delivered" },
  "delivery.disabled": { label: "Messages to a recipient were disabled after days of failures" },
  "delivery.enabled": { label: "Messages to a recipient were enabled again" },
  "delivery.replayed": { label: "A message was sent again", by: "sent a message again" },
  "grant.created": { label: "A standing permission was given", by: "gave a standing permission" },
  "grant.revoked": { label: "A standing permission was revoked", by: "revoked a standing permission" },
  "call.refused": { label: "A request was refused before anyone was asked" },
  "policy.shadow_difference": { label: "The shadow policy would have decided differently" },
  "confirmation.recorded": { label: "A confirmation was recorded", by: "confirmed an action" },
  "confirmation.consumed": { label: "A confirmation was used" },
  "confirmation.refused": { label: "A confirmation was refused" },
  "database.restored": {
    label: "The database was restored from a backup",
    by: "reported that the database was restored from a backup",
  },
  "audit.sealed": { label: "Older entries were sealed" },
  "retention.pruned": { label: "Old records were removed" },
  "retention.forgotten": { label: "A person's data was removed" },
  "stop.engaged": { label: "A stop was engaged", by: "engaged a stop" },
  "stop.released": { label: "A stop was released", by: "released a stop" },
} as const satisfies Record<string, AuditWords>;

/** The type of an audit entry. */
export type AuditType = keyof typeof auditTypes;
