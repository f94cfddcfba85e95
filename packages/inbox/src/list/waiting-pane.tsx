import { useDeferredValue, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Icon } from "../components/icon.js";
import { RowSkeletons } from "../components/skeletons.js";
import { useInbox } from "../data/inbox-context.js";
import { usePreferences } from "../data/use-preferences.js";
import { countWords, useWaiting } from "../data/use-waiting.js";
import { useValue } from "../data/value-store.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { Late } from "../late/late.js";
import { latePart } from "../late/late-part.js";
import { ApprovalRow } from "./approval-row.js";
import { NothingWaits } from "./nothing-waits.js";
import { SelectionBar } from "./selection-bar.js";
import { useHeldList } from "./use-held-list.js";
import { useSearched } from "./use-searched.js";
import { VirtualRows } from "./virtual-rows.js";

const BulkDialog = latePart(() => import("./bulk-dialog.js"));

const rowHeights = { comfortable: 84, compact: 60 };

/** What waits, most urgent first. */
export function WaitingPane({ currentId }: { currentId: string | undefined }) {
  const { selected: selection } = useInbox();
  const waiting = useWaiting();
  const [search, setSearch] = useState("");
  const words = useDeferredValue(search).trim();
  const searched = useSearched(waiting, words);
  const list = useHeldList(searched.items, searched.about);
  const [{ density }] = usePreferences();
  const selected = useValue(selection);
  const [deciding, setDeciding] = useState(false);
  const [, navigate] = useLocation();
  const searchField = useRef<HTMLInputElement>(null);

  const select = (id: string, on: boolean) =>
    selection.set((now) => new Set(on ? [...now, id] : [...now].filter((other) => other !== id)));
  const move = (step: 1 | -1) => {
    const open = list.ids.filter((id) => id === currentId || list.approvalOf(id)?.status === "pending");
    const at = currentId === undefined ? -1 : open.indexOf(currentId);
    const next = open[at < 0 ? (step > 0 ? 0 : open.length - 1) : at + step];
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
  const empty = waiting.isSuccess && waiting.items.length === 0 && list.ids.length === 0;
  return (
    <section className="cs-list-pane" aria-label="Waiting">
      <div className="cs-list-head">
        <h1>
          Waiting{" "}
          {waiting.isSuccess && (
            <span className="cs-count">{countWords(waiting.items.length, waiting.hasNextPage)}</span>
          )}
        </h1>
        <label className="cs-search">
          <Icon name="search" />
          <span className="cs-unseen">Search what waits</span>
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
      {waiting.isPending && <RowSkeletons />}
      {waiting.isError && waiting.items.length === 0 && (
        <ErrorNotice error={waiting.error} onRetry={() => void waiting.refetch()} />
      )}
      {empty && <NothingWaits />}
      {words !== "" && !empty && (
        <p className="cs-found" role="status">
          {searched.words}
        </p>
      )}
      {list.ids.length > 0 && (
        <div className="cs-held" {...list.handlers}>
          {list.waiting > 0 && (
            <div className="cs-new-rows">
              <Button tone="quiet" onClick={list.release}>{`Show ${list.waiting} new`}</Button>
            </div>
          )}
          <VirtualRows
            label="What waits for a decision"
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
        <Late>
          <BulkDialog selected={chosen} onClose={() => setDeciding(false)} />
        </Late>
      )}
    </section>
  );
}
