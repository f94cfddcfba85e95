import { type RefObject, useLayoutEffect, useRef } from "react";
import type { Panel } from "./use-decision.js";

/**
 * Moves the focus from a panel that has closed to the button that opens it, or else to the first control of the banner above it,
 * such as after somebody else has decided, unless it is elsewhere by now.
 */
export function useFocusBack(bar: RefObject<HTMLElement | null>, panel: Panel): void {
  const before = useRef(panel);
  useLayoutEffect(() => {
    const closed = panel === "none" ? before.current : "none";
    before.current = panel;
    if (closed === "none" || document.activeElement !== document.body) return;
    const find = (selector: string) => bar.current?.querySelector<HTMLElement>(selector);
    (find(openers[closed]) ?? find(banner) ?? bar.current)?.focus();
  }, [bar, panel]);
}

const banner = ".cs-banner-actions :is(a, button)";
const approving = "[data-opens=approve]";

const openers: Record<Exclude<Panel, "none">, string> = {
  approve: approving,
  grant: approving,
  budget: approving,
  deny: "[data-opens=deny]",
  decline: "[data-opens=decline]",
  answer: "[data-opens=answer]",
  undo: banner,
};
