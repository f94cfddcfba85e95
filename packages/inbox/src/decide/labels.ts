import type { Approval } from "../api/approval.js";
import { actionWords } from "../logic/action-words.js";

/** What the button that approves says. */
export function approveLabel({ toolName }: Approval, changes: number): string {
  if (changes === 0) return `Approve ${actionWords(toolName)}`;
  return `Approve with ${changes} ${changes === 1 ? "change" : "changes"}`;
}
