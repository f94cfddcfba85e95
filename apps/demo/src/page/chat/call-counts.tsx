import type { ChatApproval } from "@countersign/chat/ai-sdk";

/** What limits over time counted for a call. */
export function CallCounts({ approval: { counts, editedInput } }: { approval: ChatApproval }) {
  if (counts.length === 0) return null;
  return (
    <>
      <p>
        {editedInput === null ? "Counted over time:" : "Counted over time, for the arguments as proposed:"}
      </p>
      <ul className="call-effects">
        {counts.map(({ condition, text }) => (
          <li key={condition}>{text}</li>
        ))}
      </ul>
    </>
  );
}
