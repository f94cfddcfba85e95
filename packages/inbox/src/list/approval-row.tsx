import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { CountdownRing } from "../components/countdown-ring.js";
import { Icon } from "../components/icon.js";
import { Sentence } from "../components/sentence.js";
import { isUndecided } from "../logic/decisions/hold.js";
import { statusLabels } from "../logic/wording/outcome-text.js";

interface ApprovalRowProps {
  approval: Approval;
  href: string;
  current: boolean;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}

/** One approval in the list: its summary, risk, requester and time left. */
export function ApprovalRow({ approval, href, current, selected, onSelect }: ApprovalRowProps) {
  const { risk, toolName, requesterId, agentName, expiresAt, createdAt, announcedAt, status, id } = approval;
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
          <Sentence approval={approval} />
        </span>
        <span className="cs-row-meta">
          <span className="cs-risk" data-risk={risk}>
            <Icon name={risk} />
            {risk}
          </span>
          <span className="cs-row-source">
            {requesterId ?? agentName ?? "agent"} · {toolName}
          </span>
          {isUndecided(approval) ? (
            expiresAt && <CountdownRing from={announcedAt ?? createdAt} until={expiresAt} />
          ) : (
            <span className="cs-row-status">{approval.held ? "decided" : statusLabels[status]}</span>
          )}
        </span>
      </Link>
    </div>
  );
}
