import { auditWords } from "countersign/display";
import { ErrorNotice } from "../../components/error-notice.js";
import { useAudit } from "../../data/approvals/use-audit.js";
import { elapsedText } from "../../logic/wording/countdown.js";
import { exactTime } from "../../logic/wording/exact-time.js";
import { IntegrityBadge } from "./integrity-badge.js";

/** The audit trail of an approval, oldest entry first. */
export default function AuditTrail({ approvalId }: { approvalId: string }) {
  const { data, error, refetch } = useAudit(approvalId);
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <p className="cs-hint">Loading</p>;
  return (
    <>
      <IntegrityBadge hashCheck={data.hashCheck} entries={data.items} />
      <ol className="cs-timeline">
        {data.items.map((entry, index) => {
          const before = data.items[index - 1];
          const gap = before ? Date.parse(entry.at) - Date.parse(before.at) : 0;
          return (
            <li key={entry.position} data-type={entry.type}>
              <span>{auditWords(entry)}</span>
              <time dateTime={entry.at}>
                {exactTime(entry.at)}
                {gap > 0 && <small> · {elapsedText(gap)} later</small>}
              </time>
            </li>
          );
        })}
      </ol>
    </>
  );
}
