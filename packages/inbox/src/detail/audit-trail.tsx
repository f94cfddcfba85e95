import { ErrorNotice } from "../components/error-notice.js";
import { useAudit } from "../data/use-audit.js";
import { auditWords } from "../logic/audit-words.js";
import { tookWords } from "../logic/countdown.js";
import { exactTime } from "../logic/exact-time.js";
import { SealButton } from "./seal-button.js";

/** Everything that happened to an approval, from proposed to result. */
export default function AuditTrail({ approvalId }: { approvalId: string }) {
  const { data, error, refetch } = useAudit(approvalId);
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <p className="cs-hint">Loading</p>;
  return (
    <>
      <SealButton seal={data.seal} entries={data.items} />
      <ol className="cs-timeline">
        {data.items.map((entry, index) => {
          const before = data.items[index - 1];
          const gap = before ? Date.parse(entry.at) - Date.parse(before.at) : 0;
          return (
            <li key={entry.position} data-type={entry.type}>
              <span>{auditWords(entry)}</span>
              <time dateTime={entry.at}>
                {exactTime(entry.at)}
                {gap > 0 && <small> · {tookWords(gap)} later</small>}
              </time>
            </li>
          );
        })}
      </ol>
    </>
  );
}
