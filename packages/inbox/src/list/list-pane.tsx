import { useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { RowSkeletons } from "../components/skeletons.js";
import { usePrefetchApproval } from "../data/approvals/use-approval.js";
import { countText, useFacets } from "../data/approvals/use-counts.js";
import { useList } from "../data/approvals/use-list.js";
import { useKeyHint } from "../data/browser/use-key-hint.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { useCommands } from "../keyboard/use-commands.js";
import { LazyBoundary } from "../lazy/lazy-boundary.js";
import { LazyOverlay } from "../lazy/lazy-overlay.js";
import { lazyPart } from "../lazy/lazy-part.js";
import { isUndecided } from "../logic/decisions/hold.js";
import { grouped } from "../logic/lists/groups.js";
import { neighbour } from "../logic/lists/queue.js";
import { namedRows, requesterOf } from "../logic/lists/requesters.js";
import { searchOf, viewOf } from "../logic/lists/view.js";
import { words } from "../words/words.js";
import { ApprovalRow } from "./approval-row.js";
import { GroupRow } from "./group-row.js";
import { leaveSearch } from "./leave-search.js";
import { ListTabs } from "./list-tabs.js";
import { useHeldList } from "./use-held-list.js";
import { useHoldingList } from "./use-holding-list.js";
import { usePlace } from "./use-place.js";
import { maxSelected, useSelection } from "./use-selection.js";
import { rowHeight, VirtualRows } from "./virtual-rows.js";

const EmptyList = lazyPart(() => import("./empty-list.js"));
const FilterBar = lazyPart(() => import("./filter-bar.js"));
const SelectionBar = lazyPart(() => import("./selection-bar.js"));
const BatchDialog = lazyPart(() => import("./batch-dialog.js"));

const groupHeight = 36;

/** One of the reader's lists, as the address says, and the search in it. */
export function ListPane({ currentId }: { currentId: string | undefined }) {
  const address = useSearch();
  const view = viewOf(address);
  const shown = viewOf(useDeferredValue(address));
  const [, navigate] = useLocation();
  const loaded = useList(shown);
  const list = useHeldList(loaded.items, `${shown.list} ${shown.text} ${loaded.isPlaceholderData}`);
  const { selected, select, selectTo, clear } = useSelection();
  const reviewed = useValue(useInbox().reviewed);
  const [filtering, setFiltering] = useState(false);
  const [deciding, setDeciding] = useState(false);
  const pane = useRef<HTMLElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const { data: facets } = useFacets(shown, shown.text.trim() !== "");

  const search = searchOf(view);
  const setText = useCallback(
    (text: string) => {
      const here = currentId === undefined ? "/" : `/approvals/${currentId}`;
      navigate(`${here}${searchOf({ list: view.list, text })}`, { replace: true });
    },
    [navigate, currentId, view.list],
  );
  const items = useMemo(
    () => grouped(list.ids, (id) => list.approvalOf(id)?.threadId ?? null),
    [list.ids, list.approvalOf],
  );
  const itemIds = useMemo(() => items.map(({ id }) => id), [items]);
  const byId = useMemo(() => new Map(items.map((item) => [item.id, item])), [items]);
  const calls = useMemo(() => items.filter(({ kind }) => kind === "call").map(({ id }) => id), [items]);
  const named = useMemo(() => {
    const nameOf = (id: string) => {
      const approval = list.approvalOf(id);
      return approval && requesterOf(approval);
    };
    return namedRows(items, nameOf);
  }, [items, list.approvalOf]);
  const place = usePlace(calls, currentId);
  useHoldingList(currentId, view.list, loaded.isSuccess ? calls : undefined);
  const besides = (step: 1 | -1) => {
    const isOpen = (id: string) => {
      const approval = list.approvalOf(id);
      // A row that has left stays while the pointer is in the list.
      const isForYou = approval !== undefined && isUndecided(approval) && approval.snoozedUntil === null;
      return view.list === "for_you" ? isForYou : approval !== undefined;
    };
    return neighbour(calls, isOpen, place, step);
  };
  const move = (step: 1 | -1) => {
    const next = besides(step);
    if (next !== undefined) navigate(`/approvals/${next}${search}`);
  };
  usePrefetchApproval(currentId === undefined ? undefined : besides(1));
  const isSelectable = useCallback(
    (id: string) => view.list !== "asked" || list.approvalOf(id)?.mayDecide === true,
    [view.list, list.approvalOf],
  );
  const selectOne = useCallback(
    (id: string, on: boolean, isRange: boolean) =>
      selectTo(isRange ? calls.filter(isSelectable) : [], id, on),
    [selectTo, calls, isSelectable],
  );
  const isOpenToAll = (each: Approval | undefined) => each && isUndecided(each) && each.mayDecide;
  const about = `${shown.list} ${shown.text}`;
  const latestAbout = useRef(about);
  latestAbout.current = about;
  const selectAll = async () => {
    const found = await loaded.loadAll(maxSelected);
    // Meanwhile, the reader may have searched for something else.
    if (latestAbout.current === about)
      select(
        found.filter(isOpenToAll).map(({ id }) => id),
        true,
      );
  };
  const canSelectAll =
    !loaded.isPlaceholderData &&
    selected.size < maxSelected &&
    (loaded.hasNextPage || calls.some((id) => isOpenToAll(list.approvalOf(id)) && !selected.has(id)));
  const open = currentId !== undefined && isSelectable(currentId) ? currentId : undefined;
  useCommands({
    next: calls.length > 0 ? () => move(1) : undefined,
    previous: calls.length > 0 ? () => move(-1) : undefined,
    select: open === undefined ? undefined : () => selectOne(open, !selected.has(open), false),
    selectTo: open === undefined ? undefined : () => selectOne(open, true, true),
    selectAll: canSelectAll ? () => void selectAll() : undefined,
    batch: selected.size > 0 ? () => setDeciding(true) : undefined,
    filter: () => setFiltering(!filtering),
    search: () => searchField.current?.focus(),
    openFirst: currentId === undefined && calls.length > 0 ? () => move(1) : undefined,
  });

  const chosen = [...selected].map(list.approvalOf).filter((found) => found !== undefined);
  const isEmpty = loaded.isSuccess && !loaded.isPlaceholderData && loaded.items.length === 0;
  const isSearching = view.text.trim() !== "";
  const found = countText(facets?.found);
  return (
    <section ref={pane} className="cs-list-pane" aria-label={words.lists.titles[view.list]}>
      <ListTabs current={view.list} />
      <div className="cs-list-head">
        <label className="cs-search">
          <Icon name="search" />
          <span className="cs-visually-hidden">{words.lists.search}</span>
          <input
            ref={searchField}
            type="search"
            placeholder={words.lists.searchHint}
            aria-keyshortcuts={useKeyHint("search").aria}
            value={view.text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.preventDefault();
              setText("");
              leaveSearch(event.currentTarget);
            }}
          />
        </label>
        <Button
          tone="quiet"
          command="filter"
          aria-expanded={filtering}
          onClick={() => setFiltering(!filtering)}
        >
          {words.lists.filter}
        </Button>
      </div>
      <LazyBoundary>{filtering && <FilterBar view={view} onText={setText} />}</LazyBoundary>
      <div className={isSearching ? "cs-found" : "cs-visually-hidden"}>
        <p role="status">
          {isSearching && (isEmpty ? words.lists.noMatch : found && words.lists.found(found))}
        </p>
        {isSearching && !isEmpty && found && canSelectAll && (
          <Button tone="quiet" onClick={() => void selectAll()}>
            {words.lists.selection.all}
          </Button>
        )}
      </div>
      {loaded.isPending && <RowSkeletons />}
      {loaded.isError && loaded.items.length === 0 && (
        <ErrorNotice error={loaded.error} onRetry={() => void loaded.refetch()} />
      )}
      <LazyBoundary>
        {isEmpty && !isSearching && list.ids.length === 0 && <EmptyList list={view.list} />}
      </LazyBoundary>
      {list.ids.length > 0 && (
        <div className="cs-held" {...list.handlers}>
          {list.newCount > 0 && (
            <div className="cs-new-rows" role="status">
              <Button tone="quiet" onClick={list.release}>
                {words.lists.showNew(list.newCount)}
              </Button>
            </div>
          )}
          <VirtualRows
            label={words.lists.titles[view.list]}
            ids={itemIds}
            rowHeight={(id) => (byId.get(id)?.kind === "group" ? groupHeight : rowHeight)}
            currentId={currentId}
            onEndReached={
              loaded.hasNextPage && !loaded.isFetchingNextPage && !loaded.isFetchNextPageError
                ? () => void loaded.fetchNextPage()
                : undefined
            }
            renderRow={(id, tabIndex) => {
              const item = byId.get(id);
              if (item?.kind === "group") {
                const ids = item.ids.filter(isSelectable);
                return (
                  <GroupRow
                    id={id}
                    approvals={item.ids.map(list.approvalOf).filter((found) => found !== undefined)}
                    tabIndex={tabIndex}
                    selectable={ids.length}
                    selected={ids.every((one) => selected.has(one))}
                    onSelect={(on) => select(ids, on)}
                  />
                );
              }
              const approval = list.approvalOf(id);
              return (
                approval && (
                  <ApprovalRow
                    approval={approval}
                    href={`/approvals/${id}${search}`}
                    current={id === currentId}
                    named={named.has(id)}
                    opened={reviewed.has(id)}
                    selectable={isSelectable(id)}
                    selected={selected.has(id)}
                    tabIndex={tabIndex}
                    onSelect={selectOne}
                  />
                )
              );
            }}
          />
        </div>
      )}
      {loaded.isFetchNextPageError && (
        <ErrorNotice error={loaded.error} onRetry={() => void loaded.fetchNextPage()} />
      )}
      {selected.size > 0 && (
        <LazyBoundary>
          <SelectionBar
            selected={chosen}
            onAll={canSelectAll ? () => void selectAll() : undefined}
            onClear={clear}
            onDecide={() => setDeciding(true)}
          />
        </LazyBoundary>
      )}
      {deciding && (
        <LazyOverlay>
          <BatchDialog selected={chosen} onClose={() => setDeciding(false)} home={pane} />
        </LazyOverlay>
      )}
    </section>
  );
}
