import type { Approval } from "../api/approval.js";
import { InboxLink } from "../components/inbox-link.js";
import { SafeText } from "../components/safe-text.js";
import { similarCallsSearch } from "../logic/lists/history-query.js";
import { historyParts } from "../logic/wording/history-text.js";

/**
 * What was decided about calls like this one before, in one line. It comes from the records, never from the model. Each number
 * leads to the calls that it counts.
 */
export function CallHistory({ approval }: { approval: Approval }) {
  const parts = historyParts(approval).filter(({ stands }) => approval.status !== "pending" || !stands);
  if (parts.length === 0) return null;
  return (
    <p className="cs-history">
      {parts.map(({ text, counts }, index) => {
        const search = counts && similarCallsSearch(approval, counts);
        const shown = <SafeText text={text} />;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one line have no other identity
          <span key={index} className="cs-history-part">
            {search === undefined ? shown : <InboxLink href={`/history${search}`}>{shown}</InboxLink>}
          </span>
        );
      })}
    </p>
  );
}
