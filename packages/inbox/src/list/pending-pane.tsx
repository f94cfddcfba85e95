import { useDeferredValue, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { RowSkeletons } from "../components/skeletons.js";
import { pendingCount, usePending } from "../data/approvals/use-pending.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { LazyBoundary } from "../lazy/lazy-boundary.js";
import { lazyPart } from "../lazy/lazy-part.js";
import { isUndecided } from "../logic/decisions/hold.js";
import { neighbour } from "../logic/lists/queue.js";
import { ApprovalRow } from "./approval-row.js";
import { EmptyList } from "./empty-list.js";
import { SelectionBar } from "./selection-bar.js";
import { useHeldList } from "./use-held-list.js";
import { usePlace } from "./use-place.js";
import { useSearched } from "./use-searched.js";
import { VirtualRows } from "./virtual-rows.js";

const BulkDialog = lazyPart(() => import("./bulk-dialog.js"));

const rowHeights = { comfortable: 84, compact: 60 };

/** The pending approvals, most urgent first. */
export function PendingPane({ currentId }: { currentId: string | undefined }) {
  const { selected: selection } = useInbox();
  const pending = usePending();
  const [search, setSearch] = useState("");
  const text = useDeferredValue(search).trim();
  const searched = useSearched(pending, text);
  const list = useHeldList(searched.items, searched.about);
  const [{ density }] = usePreferences();
  const selected = useValue(selection);
  const [deciding, setDeciding] = useState(false);
  const [, navigate] = useLocation();
  const searchField = useRef<HTMLInputElement>(null);

  const select = (id: string, on: boolean) =>
    selection.set((now) => new Set(on ? [...now, id] : [...now].filter((other) => other !== id)));
  const place = usePlace(list.ids, currentId);
  const move = (step: 1 | -1) => {
    const isOpen = (id: string) => {
      const approval = list.approvalOf(id);
      return approval !== undefined && isUndecided(approval);
    };
    const next = neighbour(list.ids, isOpen, place(), step);
    if (next !== undefined) navigate(`/approvals/${next}`);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    arrowdown: undefined,
    x: currentId === undefined ? undefined : () => select(currentId, !selected.has(currentId)),
    "/": () => searchField.current?.focus(),
    enter: currentId === undefined && list.ids.length > 0 ? () => move(1) : undefined,
  });

  const chosen = [...selected].map(list.approvalOf).filter((found) => found !== undefined);
  const empty = pending.isSuccess && pending.items.length === 0 && list.ids.length === 0;
  return (
    <section className="cs-list-pane" aria-label="Pending">
      <div className="cs-list-head">
        <h1>
          Pending{" "}
          {pending.isSuccess && (
            <span className="cs-count">{pendingCount(pending.items.length, pending.hasNextPage)}</span>
          )}
        </h1>
        <label className="cs-search">
          <Icon name="search" />
          <span className="cs-visually-hidden">Search pending approvals</span>
          <input
            ref={searchField}
            type="search"
            placeholder="Search"
            aria-keyshortcuts="/"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.preventDefault();
              setSearch("");
              event.currentTarget.blur();
            }}
          />
        </label>
      </div>
      {pending.isPending && <RowSkeletons />}
      {pending.isError && pending.items.length === 0 && (
        <ErrorNotice error={pending.error} onRetry={() => void pending.refetch()} />
      )}
      {empty && <EmptyList />}
      {text !== "" && !empty && (
        <p className="cs-found" role="status">
          {searched.text}
        </p>
      )}
      {list.ids.length > 0 && (
        <div className="cs-held" {...list.handlers}>
          {list.newCount > 0 && (
            <div className="cs-new-rows">
              <Button tone="quiet" onClick={list.release}>{`Show ${list.newCount} new`}</Button>
            </div>
          )}
          <VirtualRows
            label="Pending approvals"
            ids={list.ids}
            rowHeight={rowHeights[density]}
            currentId={currentId}
            onEndReached={searched.more}
            renderRow={(id) => {
              const approval = list.approvalOf(id);
              return (
                approval && (
                  <ApprovalRow
                    approval={approval}
                    href={`/approvals/${id}`}
                    current={id === currentId}
                    selected={selected.has(id)}
                    onSelect={(on) => select(id, on)}
                  />
                )
              );
            }}
          />
        </div>
      )}
      {selected.size > 0 && (
        <SelectionBar
          selected={chosen}
          onClear={() => selection.set(new Set())}
          onDecide={() => setDeciding(true)}
        />
      )}
      {deciding && (
        <LazyBoundary>
          <BulkDialog selected={chosen} onClose={() => setDeciding(false)} />
        </LazyBoundary>
      )}
    </section>
  );
}
