interface AuditWords {
  /** The complete sentence, without an actor. */
  says: string;
  /** The text after the actor's name. */
  by?: string;
}

/** Every audit entry type, with its text for people. */
export const auditTypes = {
  "approval.proposed": { says: "The agent proposed it" },
  "approval.notified": { says: "The policy allowed it and notified people" },
  "approval.denied_by_policy": { says: "The policy denied it" },
  "approval.granted": { says: "A grant allowed it", by: "allowed it with a grant" },
  "approval.announced": { says: "People were asked" },
  "approval.reminded": { says: "People were reminded" },
  "approval.escalated": { says: "More people were asked" },
  "approval.voted": { says: "Someone voted", by: "voted" },
  "approval.approved": { says: "It was approved", by: "approved it" },
  "approval.edited": { says: "It was approved with changes", by: "approved it with changes" },
  "approval.denied": { says: "It was denied", by: "denied it" },
  "approval.responded": { says: "The result was supplied", by: "supplied the result" },
  "approval.assigned": { says: "It was reassigned", by: "reassigned it" },
  "approval.extended": { says: "The deadline was extended", by: "extended the deadline" },
  "approval.expired": { says: "It expired" },
  "approval.withdrawn": { says: "It was withdrawn" },
  "approval.executing": { says: "It started" },
  "approval.executed": { says: "It ran" },
  "approval.failed": { says: "It ran and failed" },
  "approval.interrupted": { says: "It was interrupted and may have run" },
  "approval.resolved": { says: "The outcome was recorded", by: "recorded the outcome" },
  "decision.refused": { says: "A decision was refused", by: "tried to decide it and was refused" },
  "assignment.refused": { says: "A reassignment was refused", by: "tried to reassign it and was refused" },
  "extension.refused": {
    says: "An extension was refused",
    by: "tried to extend the deadline and was refused",
  },
  "resolution.refused": {
    says: "Recording the outcome was refused",
    by: "tried to record the outcome and was refused",
  },
  "evidence.refused": { says: "The evidence was invalid" },
  "delivery.failed": { says: "A message about it could not be delivered" },
  "delivery.disabled": { says: "Messages to a recipient were disabled after days of failures" },
  "delivery.enabled": { says: "Messages to a recipient were enabled again" },
  "delivery.replayed": { says: "A message was sent again", by: "sent a message again" },
  "grant.created": { says: "A grant was created", by: "created a grant" },
  "grant.revoked": { says: "A grant was revoked", by: "revoked a grant" },
  "call.refused": { says: "A call was refused before anyone was asked" },
  "policy.shadow_difference": { says: "The shadow policy would have decided differently" },
  "confirmation.recorded": { says: "A confirmation was recorded", by: "confirmed an action" },
  "confirmation.consumed": { says: "A confirmation was used" },
  "confirmation.refused": { says: "A confirmation was refused" },
  "database.restored": {
    says: "The database was restored from a backup",
    by: "reported that the database was restored from a backup",
  },
  "audit.sealed": { says: "Older entries were sealed" },
  "retention.pruned": { says: "Old records were removed" },
  "retention.forgotten": { says: "A person's data was removed" },
  "stop.engaged": { says: "A stop was engaged", by: "engaged a stop" },
  "stop.released": { says: "A stop was released", by: "released a stop" },
} as const satisfies Record<string, AuditWords>;

/** The type of an audit entry. */
export type AuditType = keyof typeof auditTypes;

/** One entry of the audit log as a sentence. Unknown types of later versions are shown by name. */
export function auditWords({ type, actorId }: { type: string; actorId: string | null }): string {
  const known: AuditWords | undefined = Object.hasOwn(auditTypes, type)
    ? auditTypes[type as AuditType]
    : undefined;
  if (!known) return `Another event: ${type}`;
  return known.by && actorId ? `${actorId} ${known.by}` : known.says;
}
