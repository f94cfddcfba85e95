import { useDeferredValue, useMemo, useState } from "react";
import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { Chips } from "../components/chips.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { Sentence } from "../components/sentence.js";
import { RowSkeletons } from "../components/skeletons.js";
import { UndoMark } from "../components/undo-mark.js";
import { closedStatuses, useHistory } from "../data/approvals/use-history.js";
import { useNow } from "../data/browser/use-now.js";
import { useMe } from "../data/people/use-me.js";
import { VirtualRows } from "../list/virtual-rows.js";
import { changesBetween } from "../logic/arguments/argument-changes.js";
import { agoText } from "../logic/wording/countdown.js";
import { outcomeText } from "../logic/wording/outcome-text.js";
import { sentenceOf } from "../logic/wording/sentence.js";

const filters = {
  All: closedStatuses,
  Ran: ["approved", "executing", "executed", "failed"],
  Denied: ["denied"],
  Answered: ["responded"],
  "Not decided": ["expired", "withdrawn"],
  Interrupted: ["interrupted"],
} as const;

type FilterName = keyof typeof filters;
const filterNames: FilterName[] = ["All", "Ran", "Denied", "Answered", "Not decided", "Interrupted"];

const rowHeight = 52;

/** The decided, expired and withdrawn approvals. */
export default function HistoryPane({ currentId }: { currentId: string | undefined }) {
  const [filter, setFilter] = useState<FilterName>("All");
  const [search, setSearch] = useState("");
  const q = useDeferredValue(search);
  const history = useHistory({ statuses: filters[filter], q });
  const items = useMemo(() => history.data?.pages.flatMap((page) => page.items) ?? [], [history.data]);
  const byId = useMemo(() => new Map(items.map((item) => [item.id, item])), [items]);
  const ids = useMemo(() => [...byId.keys()], [byId]);
  return (
    <section className="cs-list-pane" aria-label="History">
      <div className="cs-list-head">
        <h2>History</h2>
        <label className="cs-search">
          <Icon name="search" />
          <span className="cs-visually-hidden">Search history</span>
          <input
            type="search"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
        <Chips label="Show" options={filterNames} pressed={filter} onPress={setFilter} />
      </div>
      {history.isPending && <RowSkeletons />}
      {history.isError && <ErrorNotice error={history.error} onRetry={() => void history.refetch()} />}
      {history.isSuccess && items.length === 0 && <p className="cs-hint">No matching approvals.</p>}
      {ids.length > 0 && (
        <VirtualRows
          label="Decided approvals"
          ids={ids}
          rowHeight={() => rowHeight}
          currentId={currentId}
          onEndReached={
            history.hasNextPage && !history.isFetchingNextPage
              ? () => void history.fetchNextPage()
              : undefined
          }
          renderRow={(id, tabIndex) => {
            const approval = byId.get(id);
            return (
              approval && <HistoryRow approval={approval} current={id === currentId} tabIndex={tabIndex} />
            );
          }}
        />
      )}
    </section>
  );
}

interface HistoryRowProps {
  approval: Approval;
  current: boolean;
  tabIndex: 0 | -1;
}

function HistoryRow({ approval, current, tabIndex }: HistoryRowProps) {
  const me = useMe().data?.principal.id;
  const now = useNow();
  const { decision, finishedAt, createdAt, status } = approval;
  const at = decision?.decidedAt ?? finishedAt ?? createdAt;
  const changes = changesBetween(approval.input, approval.editedInput).length;
  return (
    <div className="cs-row" data-current={current || undefined} data-status={status}>
      <Link
        className="cs-row-link"
        href={`/history/${approval.id}`}
        tabIndex={tabIndex}
        aria-current={current || undefined}
        data-row={approval.id}
        title={sentenceOf(approval)}
      >
        <span className="cs-row-sentence">
          <Sentence approval={approval} />
        </span>
        <span className="cs-row-meta">
          <span className="cs-row-source" data-status={status}>
            {outcomeText(approval, changes, me)}
          </span>
          <UndoMark approval={approval} />
          <time dateTime={at}>{agoText(Date.parse(at), now)}</time>
        </span>
      </Link>
    </div>
  );
}
