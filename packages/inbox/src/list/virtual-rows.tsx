import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";

interface VirtualRowsProps {
  label: string;
  ids: readonly string[];
  /** Height of a row, in pixels. */
  rowHeight: (id: string) => number;
  /** `tabIndex` is for the control that opens the row: the list is one stop of the Tab key. */
  renderRow: (id: string, tabIndex: 0 | -1) => ReactNode;
  /** The row that is scrolled into view. */
  currentId?: string | undefined;
  onEndReached?: (() => void) | undefined;
}

/** The height of a row, in pixels: a sentence of at most two lines, and a line about it. */
export const rowHeight = 68;

/** How many rows Page Down moves. */
const pageRows = 10;

/**
 * A virtualized list: only the rows in view are rendered. The arrow keys move the focus from row to row, to the element with
 * `data-row` in each.
 */
export function VirtualRows({ label, ids, rowHeight, renderRow, currentId, onEndReached }: VirtualRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rowHeight(ids[index] ?? ""),
    getItemKey: (index) => ids[index] ?? index,
    overscan: 6,
    // An estimate, so that the first render already has rows.
    initialRect: { width: 0, height: window.innerHeight },
  });
  const items = rows.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastShown >= ids.length - 20) onEndReached?.();
  }, [lastShown, ids.length, onEndReached]);
  // Rows of another height, such as the heading of a group, may have come between.
  const measuredFor = useRef(ids);
  useEffect(() => {
    if (measuredFor.current === ids) return;
    measuredFor.current = ids;
    rows.measure();
  }, [rows, ids]);
  const currentIndex = currentId === undefined ? -1 : ids.indexOf(currentId);
  useEffect(() => {
    if (currentIndex >= 0) rows.scrollToIndex(currentIndex, { align: "auto" });
  }, [rows, currentIndex]);

  const [focused, setFocused] = useState<string>();
  /** The row that gets the focus once it is rendered. */
  const wanted = useRef<string>(undefined);
  // One of the rendered rows, so that the Tab key always finds the list.
  const rendered = items.flatMap(({ index }) => ids[index] ?? []);
  const stop = [focused, currentId].find((id) => id !== undefined && rendered.includes(id)) ?? rendered[0];
  useEffect(() => {
    if (wanted.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.current)}"]`);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const at = stop === undefined ? -1 : ids.indexOf(stop);
    const to = targetOf(event.key, at, ids.length);
    const id = to === undefined ? undefined : ids[to];
    if (to === undefined || id === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    wanted.current = id;
    setFocused(id);
    rows.scrollToIndex(to, { align: "auto" });
  };
  return (
    <div className="cs-scroller" ref={scroller}>
      <ul
        className="cs-rows"
        aria-label={label}
        style={{ height: rows.getTotalSize() }}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => setFocused(target.closest<HTMLElement>("[data-row]")?.dataset.row)}
      >
        {items.map(({ key, index, start, size }) => {
          const id = ids[index];
          return (
            id !== undefined && (
              <li
                key={key}
                aria-setsize={ids.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)`, height: size }}
              >
                {renderRow(id, id === stop ? 0 : -1)}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

/** The row to which a key moves the focus. */
function targetOf(key: string, at: number, count: number): number | undefined {
  const within = (index: number) => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case "ArrowDown":
      return within(at + 1);
    case "ArrowUp":
      return within(at - 1);
    case "PageDown":
      return within(at + pageRows);
    case "PageUp":
      return within(at - pageRows);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
