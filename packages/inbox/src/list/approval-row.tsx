import { type KeyboardEvent, memo } from "react";
import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { CountdownRing } from "../components/countdown-ring.js";
import { Icon } from "../components/icon.js";
import { Sentence } from "../components/sentence.js";
import { isUndecided } from "../logic/decisions/hold.js";
import { requesterOf } from "../logic/lists/requesters.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";

interface ApprovalRowProps {
  approval: Approval;
  href: string;
  current: boolean;
  /** Whether it says for whom the call is. */
  named: boolean;
  /** Whether the reader has opened it before. */
  opened: boolean;
  /** Whether it has a check box: not where somebody else decides. */
  selectable: boolean;
  selected: boolean;
  tabIndex: 0 | -1;
  /** `isRange`: with all between it and the one before it. */
  onSelect: (id: string, selected: boolean, isRange: boolean) => void;
}

/** One approval in the list: what would happen, and what is special about it. */
export const ApprovalRow = memo(function ApprovalRow({
  approval,
  href,
  current,
  named,
  opened,
  selectable,
  selected,
  tabIndex,
  onSelect,
}: ApprovalRowProps) {
  const { risk, expiresAt, createdAt, announcedAt, status, id, flagCount } = approval;
  const sentence = sentenceOf(approval);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== " " || !selectable) return;
    event.preventDefault();
    onSelect(id, !selected, event.shiftKey);
  };
  return (
    <div
      className="cs-row"
      data-current={current || undefined}
      data-status={status}
      data-opened={opened || undefined}
    >
      {selectable && (
        <label className="cs-checkbox">
          <input
            type="checkbox"
            className="cs-checkbox-box"
            tabIndex={-1}
            checked={selected}
            onChange={({ target, nativeEvent }) =>
              onSelect(id, target.checked, "shiftKey" in nativeEvent && nativeEvent.shiftKey === true)
            }
            aria-label={words.lists.row.select(sentence)}
          />
          <Icon name="check" />
        </label>
      )}
      <Link
        className="cs-row-link"
        href={href}
        tabIndex={tabIndex}
        aria-current={current || undefined}
        data-row={id}
        title={sentence}
        onKeyDown={onKeyDown}
      >
        <span className="cs-row-sentence">
          <Sentence approval={approval} />
        </span>
        <span className="cs-row-meta">
          {(risk === "high" || risk === "critical") && (
            <span className="cs-risk" data-risk={risk}>
              <Icon name={risk} />
              {words.lists.row.risk[risk]}
            </span>
          )}
          {flagCount > 0 && (
            <span className="cs-row-flags">
              <Icon name="high" />
              {words.lists.row.warnings(flagCount)}
            </span>
          )}
          <Votes approval={approval} />
          {approval.snoozedUntil && (
            <span className="cs-row-snoozed">
              {words.lists.row.snoozedUntil(exactTime(approval.snoozedUntil, undefined, "minute"))}
            </span>
          )}
          <span className="cs-row-source">{named && requesterOf(approval)}</span>
          {isUndecided(approval) ? (
            expiresAt && <CountdownRing from={announcedAt ?? createdAt} until={expiresAt} brief />
          ) : (
            <span className="cs-row-status">
              {approval.held ? words.lists.row.decided : words.decided.status[status]}
            </span>
          )}
        </span>
      </Link>
    </div>
  );
});

/** How many of several people have approved. */
function Votes({ approval: { quorum, votes } }: { approval: Approval }) {
  if (quorum < 2) return null;
  const approved = votes.filter(({ type }) => type === "approve").length;
  return <span className="cs-row-votes">{words.lists.row.votes(approved, quorum)}</span>;
}
