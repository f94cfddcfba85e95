import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { CountdownRing } from "../components/countdown-ring.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { statusWords } from "../logic/past-words.js";
import { sentenceOf } from "../logic/sentence.js";

interface ApprovalRowProps {
  approval: Approval;
  href: string;
  current: boolean;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}

/** One thing that waits: its sentence, its risk, who asked, and the time left. */
export function ApprovalRow({ approval, href, current, selected, onSelect }: ApprovalRowProps) {
  const { risk, toolName, requesterId, expiresAt, createdAt, announcedAt, status, id } = approval;
  const sentenceId = `sentence-${id}`;
  return (
    <div className="cs-row" data-current={current || undefined} data-status={status} data-risk={risk}>
      <label className="cs-checkbox">
        <input
          type="checkbox"
          className="cs-checkbox-box"
          checked={selected}
          onChange={(event) => onSelect(event.target.checked)}
          aria-label="Select"
          aria-describedby={sentenceId}
        />
        <Icon name="check" />
      </label>
      <Link className="cs-row-link" href={href} aria-current={current || undefined} data-row={id}>
        <span className="cs-row-sentence" id={sentenceId}>
          <SafeText text={sentenceOf(approval)} />
        </span>
        <span className="cs-row-meta">
          <span className="cs-risk" data-risk={risk}>
            <Icon name={risk} />
            {risk}
          </span>
          <span className="cs-row-source">
            {requesterId ?? "an agent"} · {toolName}
          </span>
          {status === "pending" ? (
            expiresAt && <CountdownRing from={announcedAt ?? createdAt} until={expiresAt} />
          ) : (
            <span className="cs-row-status">{statusWords[status]}</span>
          )}
        </span>
      </Link>
    </div>
  );
}
