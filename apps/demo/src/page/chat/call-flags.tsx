import type { ChatApproval } from "@countersign/chat/ai-sdk";
import { flagText, visibleText } from "@countersign/policy/display";

/** Warnings about what the call's arguments hide or imitate, and about safety checks that failed. */
export function CallFlags({ approval: { flags, flagsTruncated, checks } }: { approval: ChatApproval }) {
  const notes = [...new Set(flags.map((flag) => `${flag.path.replace(/^input\./, "")}: ${flagText(flag)}`))];
  for (const { name, ok, message } of checks) {
    if (!ok) notes.push(visibleText(`Check failed: ${name}${message === null ? "" : `: ${message}`}`, 400));
  }
  if (flagsTruncated) notes.push("There are more warnings than are listed here");
  if (notes.length === 0) return null;
  return (
    <ul className="call-flags" aria-label="Warnings">
      {notes.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
