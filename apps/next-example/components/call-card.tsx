import type { ChatApproval } from "@countersign/chat/ai-sdk";
import { previewLines, visibleText } from "@countersign/policy/display";
import { type FormEvent, useId } from "react";

interface CallCardProps {
  call: ChatApproval;
  /** Present while this user is asked to decide. */
  onDecide: ((approved: boolean, reason: string) => void) | undefined;
}

/** A call that needs approval: what it will do, its state, and the decision if it is this user's. */
export function CallCard({ call, onDecide }: CallCardProps) {
  const headingId = useId();
  function decide(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const reason = String(new FormData(event.currentTarget).get("reason") ?? "").trim();
    onDecide?.(submitter?.getAttribute("value") === "approve", reason);
  }
  return (
    <article className="call" aria-labelledby={headingId}>
      <h2 id={headingId}>{call.summary}</h2>
      {call.codePreview && <p>{call.codePreview}</p>}
      {call.preview && call.editedInput === null && (
        <ul aria-label="What would change">
          {previewLines(call.preview, { whole: true }).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one call never change, and two may be equal
            <li key={index}>{line}</li>
          ))}
        </ul>
      )}
      {call.counts.length > 0 && call.editedInput === null && (
        <ul aria-label="Counted over time">
          {call.counts.map(({ condition, text }) => (
            <li key={condition}>{text}</li>
          ))}
        </ul>
      )}
      <p>{stateOf(call)}</p>
      {call.editedInput !== null && (
        <p>
          With these arguments: <code>{visibleText(JSON.stringify(call.editedInput), 20_000)}</code>
        </p>
      )}
      {call.refused && <p role="alert">{call.refused}</p>}
      {onDecide && (
        <form className="decision" onSubmit={decide}>
          <input name="reason" aria-label="Reason" placeholder="Reason (optional)" maxLength={500} />
          <button type="submit" value="approve">
            Approve
          </button>
          <button type="submit" value="deny">
            Deny
          </button>
        </form>
      )}
      {call.status === "pending" && call.url && <a href={call.url}>Open in the inbox</a>}
    </article>
  );
}

function stateOf({ status, mayDecide, approvers, decidedBy, reason, editedInput }: ChatApproval): string {
  const because = reason ? `: ${reason}` : ".";
  const changed = editedInput === null ? "" : " with changes";
  switch (status) {
    case "pending":
      return mayDecide
        ? "Waiting for your decision."
        : `Waiting for ${[...approvers.roles, ...approvers.ids].join(" or ") || "a person"} to decide.`;
    case "approved":
    case "executing":
      return `Approved${changed} by ${decidedBy}. It runs now.`;
    case "executed":
      return decidedBy ? `Approved${changed} by ${decidedBy}. It ran once.` : "It ran once.";
    case "denied":
      return `Denied by ${decidedBy ?? "the policy"}${because}`;
    default:
      return `It did not end well: ${status}${because}`;
  }
}
