import type { Approval } from "../../api/approval.js";
import { ErrorNotice } from "../../components/error-notice.js";
import { useAudit } from "../../data/approvals/use-audit.js";
import { elapsedText } from "../../logic/wording/countdown.js";
import { askedAtFirst, entryText } from "../../logic/wording/entry-text.js";
import { exactTime } from "../../logic/wording/exact-time.js";
import { words } from "../../words/words.js";
import { IntegrityBadge } from "./integrity-badge.js";

interface AuditTrailProps {
  approval: Approval;
}

/** The audit trail of an approval, oldest entry first. */
export function AuditTrail({ approval }: AuditTrailProps) {
  const { data, error, refetch } = useAudit(approval.id);
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <p className="cs-hint">{words.common.loading}</p>;
  const about = {
    isUndo: approval.undoes !== null,
    asked: askedAtFirst(approval.approvers, data.items),
  };
  return (
    <>
      <IntegrityBadge hashCheck={data.hashCheck} entries={data.items} />
      <ol className="cs-timeline">
        {data.items.map((entry, index) => {
          const before = data.items[index - 1];
          const gap = before ? Date.parse(entry.at) - Date.parse(before.at) : 0;
          return (
            <li key={entry.position} data-type={entry.type}>
              <span>{entryText(entry, about)}</span>
              <time dateTime={entry.at}>
                {exactTime(entry.at)}
                {gap > 0 && <small> {words.detail.records.trail.later(elapsedText(gap))}</small>}
              </time>
            </li>
          );
        })}
      </ol>
    </>
  );
}
