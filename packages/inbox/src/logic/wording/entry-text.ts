import { auditWords } from "countersign/display";
import type { AuditEntry } from "../../api/records.js";

/** One entry of an approval's audit trail as a sentence. People ask for an undo, and no agent proposes it. */
export function entryText(
  { type, actorId }: Pick<AuditEntry, "type" | "actorId">,
  { isUndo }: { isUndo: boolean },
): string {
  if (isUndo && type === "approval.proposed") return `${actorId} asked for the undo`;
  if (isUndo && type === "approval.notified")
    return `${actorId} asked for the undo, and the policy allowed it`;
  return auditWords({ type, actorId });
}
