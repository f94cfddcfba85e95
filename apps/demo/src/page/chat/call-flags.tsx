import type { ChatApproval } from "countersign/ai-sdk";
import { flagText } from "countersign/display";

/** Warnings about what the call's arguments hide or imitate. */
export function CallFlags({ approval: { flags, flagsTruncated } }: { approval: ChatApproval }) {
  const notes = [...new Set(flags.map((flag) => `${flag.path.replace(/^input\./, "")}: ${flagText(flag)}`))];
  if (flagsTruncated) notes.push("There are more warnings than are listed here");
  if (notes.length === 0) return null;
  return (
    <ul className="call-flags" aria-label="Warnings">
      {notes.map((words) => (
        <li key={words}>{words}</li>
      ))}
    </ul>
  );
}
