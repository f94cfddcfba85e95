import { type RefObject, useLayoutEffect, useRef } from "react";
import type { Panel } from "./use-decision.js";

/**
 * Moves the focus from a panel that has closed to the button that opens it, or to the first control of the banner above it,
 * unless it is elsewhere by now.
 */
export function useFocusBack(bar: RefObject<HTMLElement | null>, panel: Panel): void {
  const before = useRef(panel);
  useLayoutEffect(() => {
    const closed = panel === "none" ? before.current : "none";
    before.current = panel;
    if (closed === "none" || document.activeElement !== document.body) return;
    const opener = bar.current?.querySelector<HTMLElement>(openers[closed]);
    opener?.focus();
  }, [bar, panel]);
}

const banner = ".cs-banner-actions :is(a, button)";
const approving = "[data-opens=approve]";

const openers: Record<Exclude<Panel, "none">, string> = {
  approve: approving,
  grant: approving,
  budget: approving,
  deny: "[data-opens=deny]",
  answer: "[data-opens=answer]",
  undo: banner,
};
