import { auditWords } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import type { AuditEntry } from "../../api/records.js";
import { words } from "../../words/words.js";

/**
 * One entry of an approval's audit trail as a sentence. People ask for an undo, and no agent does. `asked`: the approvers when
 * the request was announced.
 */
export function entryText(
  { type, actorId, data }: Pick<AuditEntry, "type" | "actorId" | "data">,
  { isUndo, asked }: { isUndo: boolean; asked: readonly string[] },
): string {
  const { trail } = words.detail.records;
  if (type === "approval.announced" && asked.length > 0) return trail.asked(asked);
  const more = type === "approval.escalated" ? escalatedTo({ data }) : [];
  if (more.length > 0) return trail.alsoAsked(more);
  if (isUndo && actorId !== null) {
    if (type === "approval.proposed") return trail.askedForUndo(actorId);
    if (type === "approval.notified") return trail.askedAndAllowed(actorId);
  }
  return auditWords({ type, actorId }, words.display);
}

/** Who was asked at first: the approvers without those of its escalations. Empty for anyone. */
export function askedAtFirst(
  { roles, ids }: Approval["approvers"],
  trail: readonly Pick<AuditEntry, "type" | "data">[],
): string[] {
  const later = new Set(
    trail.filter(({ type }) => type === "approval.escalated").flatMap((entry) => escalatedTo(entry)),
  );
  return [...roles.filter((role) => !later.has(role)), ...ids];
}

function escalatedTo({ data: { roles } }: Pick<AuditEntry, "data">): string[] {
  return Array.isArray(roles) ? roles.map(String) : [];
}
