import type { ChatApproval } from "@countersign/chat/ai-sdk";
import { previewLines } from "@countersign/policy/display";

/** What a call would change, or why nobody knows. */
export function CallEffects({ approval: { preview } }: { approval: ChatApproval }) {
  if (preview === null) return null;
  // Nothing that a person approves is shortened.
  const lines = previewLines(preview, { whole: true });
  if (preview.failed !== null) return <p className="call-refused">{lines}</p>;
  return (
    <>
      <p>What would change:</p>
      <ul className="call-effects">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one preview never change
          <li key={index}>{line}</li>
        ))}
      </ul>
    </>
  );
}
