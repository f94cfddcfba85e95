import { useEffect, useRef } from "react";
import { useInbox } from "../data/inbox-context.js";

/** What keys do, by `event.key` in lower case; `mod+k` is Ctrl+K and ⌘K. */
export type Shortcuts = Record<string, (() => void) | undefined>;

const typing = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]';
const pressable = "a[href], button, summary, [role=button], [role=checkbox], [role=radio], input";
const overlay = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** What listens, innermost first: what was opened last has the first word on a key. */
const listeners: ((event: KeyboardEvent) => void)[] = [];

function onKeyDown(event: KeyboardEvent): void {
  for (const listener of [...listeners]) listener(event);
}

/** Acts on keys anywhere on the page, but not while somebody types, nor over an open dialog or menu. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  const { singleKeys } = useInbox();
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const mod = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      const target = event.target instanceof Element ? event.target : null;
      if (!mod && !mayAct(key, target, singleKeys.get())) return;
      const act = latest.current[mod ? `mod+${key}` : key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    if (listeners.length === 0) window.addEventListener("keydown", onKeyDown);
    listeners.unshift(onKey);
    return () => {
      listeners.splice(listeners.indexOf(onKey), 1);
      if (listeners.length === 0) window.removeEventListener("keydown", onKeyDown);
    };
  }, [singleKeys]);
}

function mayAct(key: string, target: Element | null, singleKeys: boolean): boolean {
  if (target?.closest(overlay)) return false;
  if (key === "escape") return true;
  if (key.length === 1 && !singleKeys) return false;
  if (target?.closest(typing)) return false;
  return !(key === "enter" && target?.closest(pressable));
}
