import { useDeferredValue, useMemo, useRef } from "react";
import { Link, useLocation, useSearch } from "wouter";
import type { Approval } from "../api/approval.js";
import { Chips } from "../components/chips.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { RequestedValues } from "../components/requested-values.js";
import { ResultSentence, Sentence } from "../components/sentence.js";
import { RowSkeletons } from "../components/skeletons.js";
import { UndoMark } from "../components/undo-mark.js";
import { useHistory } from "../data/approvals/use-history.js";
import { useKeyHint } from "../data/browser/use-key-hint.js";
import { useNow, useToday } from "../data/browser/use-now.js";
import { useTitle } from "../data/browser/use-title.js";
import { useMe } from "../data/people/use-me.js";
import { useCommands } from "../keyboard/use-commands.js";
import { leaveSearch } from "../list/leave-search.js";
import { rowHeight, VirtualRows } from "../list/virtual-rows.js";
import { changesBetween } from "../logic/arguments/argument-changes.js";
import { historyKinds } from "../logic/lists/closed-statuses.js";
import {
  filterIn,
  historyFiltersOf,
  historyTimes,
  historyTitle,
  timeIn,
  withFilter,
  withTime,
} from "../logic/lists/history-query.js";
import { neighbour } from "../logic/lists/queue.js";
import { searchOf, viewOf } from "../logic/lists/view.js";
import { agoText } from "../logic/wording/countdown.js";
import { outcomeText } from "../logic/wording/outcome-text.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";
import { ActiveFilters } from "./active-filters.js";
import { useNewest } from "./use-newest.js";

const resultHeight = 20;

interface HistoryPaneProps {
  /** The call that is shown: that of the address, or the newest one. */
  shownId: string | undefined;
  /** Whether the address names it. */
  isOpen: boolean;
  /** Receives the newest call while the address names none. */
  onNewest: (id: string | undefined) => void;
}

/** The decided, expired and withdrawn approvals that meet the search in the address. */
export default function HistoryPane({ shownId, isOpen, onNewest }: HistoryPaneProps) {
  const address = useSearch();
  const { text } = viewOf(address);
  const shown = viewOf(useDeferredValue(address)).text;
  const [here, navigate] = useLocation();
  const searchField = useRef<HTMLInputElement>(null);
  const today = useToday();
  const history = useHistory(useMemo(() => historyFiltersOf(shown, today), [shown, today]));
  const items = useMemo(() => history.data?.pages.flatMap((page) => page.items) ?? [], [history.data]);
  const byId = useMemo(() => new Map(items.map((item) => [item.id, item])), [items]);
  const ids = useMemo(() => [...byId.keys()], [byId]);
  useNewest(
    { ids, isLoaded: history.isSuccess && !history.isFetching, search: isOpen ? undefined : shown },
    onNewest,
  );
  const search = searchOf({ list: "for_you", text });
  const setText = (next: string) =>
    navigate(here + searchOf({ list: "for_you", text: next }), { replace: true });
  const open = (id: string | undefined) => {
    if (id !== undefined) navigate(`/history/${id}${search}`);
  };
  const move = (step: 1 | -1) => {
    const from = shownId === undefined ? undefined : { id: shownId, index: 0 };
    open(neighbour(ids, () => true, from, step));
  };
  useCommands({
    next: ids.length > 0 ? () => move(1) : undefined,
    previous: ids.length > 0 ? () => move(-1) : undefined,
    search: () => searchField.current?.focus(),
    openFirst: !isOpen && ids.length > 0 ? () => open(shownId ?? ids[0]) : undefined,
  });
  const title = historyTitle(text);
  // An open call gives the page its own title.
  useTitle(isOpen ? undefined : title);
  const kind = filterIn(text, "is");
  const pressed = historyKinds.find((each) => each === kind);
  const { kinds, all, times } = words.history;
  const time = timeIn(text);
  return (
    <section className="cs-list-pane" aria-label={words.history.title}>
      <div className="cs-list-head">
        <h2>{words.history.title}</h2>
        <label className="cs-search">
          <Icon name="search" />
          <span className="cs-visually-hidden">{words.history.search}</span>
          <input
            ref={searchField}
            type="search"
            placeholder={words.history.searchHint}
            aria-keyshortcuts={useKeyHint("search").aria}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.preventDefault();
              setText("");
              leaveSearch(event.currentTarget);
            }}
          />
        </label>
        <Chips
          label={words.history.show}
          options={[all, ...historyKinds.map((each) => kinds[each])]}
          pressed={pressed ? kinds[pressed] : all}
          onPress={(label) => {
            const wanted = historyKinds.find((each) => kinds[each] === label);
            if (wanted !== pressed) setText(withFilter(text, "is", wanted ?? pressed ?? ""));
          }}
        />
        <Chips
          label={words.history.time}
          options={historyTimes.map((each) => times[each])}
          pressed={time && times[time]}
          onPress={(label) => {
            const wanted = historyTimes.find((each) => times[each] === label);
            setText(withTime(text, wanted === time ? undefined : wanted));
          }}
        />
      </div>
      <ActiveFilters text={text} onText={setText} onLast={() => searchField.current?.focus()} />
      {history.isPending && <RowSkeletons />}
      {history.isError && <ErrorNotice error={history.error} onRetry={() => void history.refetch()} />}
      {history.isSuccess && items.length === 0 && <p className="cs-hint">{words.history.noMatch}</p>}
      {ids.length > 0 && (
        <VirtualRows
          label={words.history.decided}
          ids={ids}
          rowHeight={(id) => rowHeight + (byId.get(id)?.resultSummary ? resultHeight : 0)}
          currentId={shownId}
          onEndReached={
            history.hasNextPage && !history.isFetchingNextPage
              ? () => void history.fetchNextPage()
              : undefined
          }
          renderRow={(id, tabIndex) => {
            const approval = byId.get(id);
            return (
              approval && (
                <HistoryRow
                  approval={approval}
                  href={`/history/${id}${search}`}
                  current={id === shownId}
                  tabIndex={tabIndex}
                />
              )
            );
          }}
        />
      )}
    </section>
  );
}

interface HistoryRowProps {
  approval: Approval;
  href: string;
  current: boolean;
  tabIndex: 0 | -1;
}

function HistoryRow({ approval, href, current, tabIndex }: HistoryRowProps) {
  const me = useMe().data?.principal.id;
  const now = useNow();
  const { decision, finishedAt, createdAt, status } = approval;
  const at = decision?.decidedAt ?? finishedAt ?? createdAt;
  const changes = changesBetween(approval.input, approval.editedInput).length;
  return (
    <div className="cs-row" data-current={current || undefined} data-status={status}>
      <Link
        className="cs-row-link"
        href={href}
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
          <RequestedValues approval={approval} />
          <UndoMark approval={approval} />
          <time dateTime={at}>{agoText(Date.parse(at), now)}</time>
        </span>
        {approval.resultSummary !== null && (
          <span className="cs-row-result">
            <ResultSentence approval={approval} />
          </span>
        )}
      </Link>
    </div>
  );
}
