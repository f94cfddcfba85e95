import { auditWords } from "@countersign/policy/display";
import type { AuditEntry } from "../../api/records.js";
import { words } from "../../words/words.js";

/** One entry of an approval's audit trail as a sentence. People ask for an undo, and no agent proposes it. */
export function entryText(
  { type, actorId }: Pick<AuditEntry, "type" | "actorId">,
  { isUndo }: { isUndo: boolean },
): string {
  const { trail } = words.detail.records;
  if (isUndo && actorId !== null) {
    if (type === "approval.proposed") return trail.askedForUndo(actorId);
    if (type === "approval.notified") return trail.askedAndAllowed(actorId);
  }
  return auditWords({ type, actorId }, words.display);
}
