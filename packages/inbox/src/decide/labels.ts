import type { Approval } from "../api/approval.js";
import { approveWords } from "../logic/action-words.js";

/** What the button that approves says. */
export function approveLabel({ toolName }: Approval, changes: number): string {
  if (changes === 0) return approveWords(toolName);
  return `Approve with ${changes} ${changes === 1 ? "change" : "changes"}`;
}
