import { CallCounts } from "./call-counts.js";
import { CallEffects } from "./call-effects.js";
import { CallFlags } from "./call-flags.js";
import { approversText, callText } from "./call-text.js";
import { Effect } from "./effect.js";
import type { Call } from "./messages.js";
import { shownText } from "./shown-text.js";
import { TimeLeft } from "./time-left.js";

interface CallCardProps {
  call: Call;
  onShowApproval: (approvalId: string) => void;
  onAnswer: ((approvalId: string, approved: boolean) => void) | undefined;
}

/**
 * A gated call in a line or two: what it is, and who decides or has decided. The decision is beside the chat, with all that it
 * needs; that is here only if the call is decided here.
 */
export function CallCard({ call: { part, approval }, onShowApproval, onAnswer }: CallCardProps) {
  if (!approval) return null;
  const { approvalId, summary, status, approvers, expiresAt, reason, refused, url } = approval;
  const { editedInput } = approval;
  const { text, tone } = callText(approval);
  const asked = part?.state === "approval-requested" ? part.approval : undefined;
  return (
    <article className="call" data-tone={tone} aria-label={`Call: ${summary}`}>
      <p className="call-summary">{summary}</p>
      {asked && onAnswer && (
        <>
          {approval.codePreview && <p>{approval.codePreview}</p>}
          <CallEffects approval={approval} />
          <CallCounts approval={approval} />
        </>
      )}
      <CallFlags approval={approval} />
      <p className="call-line">
        <span className="call-state">{text}</span>
        {status === "pending" && <span>{approversText(approvers)} can decide.</span>}
        {status === "pending" && expiresAt && <TimeLeft until={expiresAt} />}
      </p>
      {editedInput !== null && (
        <>
          <p>With these arguments:</p>
          <Effect output={editedInput} />
        </>
      )}
      {reason && <blockquote>{shownText(reason)}</blockquote>}
      {refused && <p className="call-refused">Your answer was not recorded: {refused}</p>}
      {part?.state === "output-error" && status !== "denied" && <p>{part.errorText}</p>}
      {asked && onAnswer ? (
        <div className="call-buttons">
          <button
            type="button"
            className="cs-button"
            data-tone="danger"
            onClick={() => onAnswer(asked.id, false)}
          >
            Deny
          </button>
          <button
            type="button"
            className="cs-button"
            data-tone="primary"
            onClick={() => onAnswer(asked.id, true)}
          >
            Approve
          </button>
        </div>
      ) : (
        status === "pending" && (
          <div className="call-buttons">
            {url && (
              <a className="cs-button" data-tone="quiet" href={url}>
                Open in the inbox
              </a>
            )}
            <button
              type="button"
              className="cs-button"
              data-tone="plain"
              onClick={() => onShowApproval(approvalId)}
            >
              Go to the decision
            </button>
          </div>
        )
      )}
    </article>
  );
}
