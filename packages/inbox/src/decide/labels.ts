import type { Approval } from "../api/approval.js";
import { approveText } from "../logic/decisions/approve-action.js";

/** The label of the approve button. */
export function approveLabel({ toolName, undoes }: Approval, changes: number): string {
  if (undoes !== null) return "Approve undo";
  if (changes === 0) return approveText(toolName);
  return `Approve with ${changes} ${changes === 1 ? "change" : "changes"}`;
}
