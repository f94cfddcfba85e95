import type { AuditEntry } from "../api/approval.js";

const words: Record<string, string> = {
  "approval.proposed": "The agent proposed it",
  "approval.announced": "People were asked",
  "approval.reminded": "People were reminded",
  "approval.escalated": "More people were asked",
  "approval.voted": "voted",
  "approval.approved": "approved it",
  "approval.edited": "approved it with changes",
  "approval.denied": "denied it",
  "approval.responded": "supplied the result",
  "approval.expired": "The time ran out",
  "approval.withdrawn": "It was withdrawn",
  "approval.executing": "It started",
  "approval.executed": "It ran",
  "approval.failed": "It ran and failed",
  "approval.interrupted": "It was cut off; it may or may not have run",
  "approval.resolved": "said what became of it",
  "approval.assigned": "passed it on",
  "approval.extended": "gave it more time",
  "approval.edit_refused": "tried changes that were refused",
};

/** One entry of the trail as a sentence. */
export function auditWords({ type, actorId }: Pick<AuditEntry, "type" | "actorId">): string {
  const known = words[type] ?? type.replace(/^approval\./, "").replaceAll(/[_.]/g, " ");
  if (/^[A-Z]/.test(known)) return actorId ? `${known} (${actorId})` : known;
  return `${actorId ?? "The system"} ${known}`;
}
