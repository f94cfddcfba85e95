import type { Approval } from "../api/approval.js";
import { approveText } from "../logic/decisions/approve-action.js";
import { words } from "../words/words.js";

/** The label of the approve button. */
export function approveLabel({ toolName, undoes }: Approval, changes: number): string {
  if (undoes !== null) return words.decide.approve.undo;
  return changes === 0 ? approveText(toolName) : words.decide.approve.withChanges(changes);
}
