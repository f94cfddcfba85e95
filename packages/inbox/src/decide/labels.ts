import type { Approval } from "../api/approval.js";
import { approveText } from "../logic/decisions/approve-action.js";
import { words } from "../words/words.js";

/** The label of the approve button. */
export function approveLabel(approval: Approval, changes: number): string {
  if (approval.undoes !== null) return words.decide.approve.undo;
  return changes === 0 ? approveText(approval) : words.decide.approve.withChanges(changes);
}
