import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";

interface VirtualRowsProps {
  label: string;
  ids: readonly string[];
  /** Height of every row, in pixels. */
  rowHeight: number;
  renderRow: (id: string, index: number) => ReactNode;
  /** The row that is scrolled into view. */
  currentId?: string | undefined;
  onEndReached?: (() => void) | undefined;
}

/** A virtualized list: only the rows in view are rendered. */
export function VirtualRows({ label, ids, rowHeight, renderRow, currentId, onEndReached }: VirtualRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
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
  const measuredFor = useRef(rowHeight);
  useEffect(() => {
    if (measuredFor.current === rowHeight) return;
    measuredFor.current = rowHeight;
    rows.measure();
  }, [rows, rowHeight]);
  const currentIndex = currentId === undefined ? -1 : ids.indexOf(currentId);
  useEffect(() => {
    if (currentIndex >= 0) rows.scrollToIndex(currentIndex, { align: "auto" });
  }, [rows, currentIndex]);
  return (
    <div className="cs-scroller" ref={scroller}>
      <ul className="cs-rows" aria-label={label} style={{ height: rows.getTotalSize() }}>
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
                {renderRow(id, index)}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
