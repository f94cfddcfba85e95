import { useContext, useEffect, useRef } from "react";
import { CardScope } from "../data/inbox/card-scope.js";
import { useInbox } from "../data/inbox/inbox-context.js";

/** Actions by `event.key` in lower case. `mod+k` is Ctrl+K and ⌘K. */
export type Shortcuts = Record<string, (() => void) | undefined>;

const typing = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]';
const pressable = "a[href], button, summary, [role=button], [role=checkbox], [role=radio], input";
const overlay = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** A field of an open editor. Letters are text while it is open, also if the field has lost the focus. */
const editor = ".cs-editor";

/** The listeners, newest first: the component that was opened last handles a key first. */
const listeners: ((event: KeyboardEvent) => void)[] = [];

/** The key that acted last. While it is held down, its repeats do nothing, nor are they typed into a field it has opened. */
let held: string | undefined;

function onKeyDown(event: KeyboardEvent): void {
  if (event.repeat) {
    if (event.key === held) event.preventDefault();
    return;
  }
  held = undefined;
  for (const listener of [...listeners]) listener(event);
}

/** Handles keys anywhere on the page, or in a card, except while the reader types or a dialog or menu is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  const { singleKeys } = useInbox();
  const card = useContext(CardScope);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const mod = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      const target = event.target instanceof Element ? event.target : null;
      if (card && !card.current?.contains(target)) return;
      if (mod ? key !== "k" && target?.closest(overlay) : !mayAct(key, target, singleKeys.get())) return;
      if (!mod && key.length === 1 && (card?.current ?? document).querySelector(editor)) return;
      const act = latest.current[mod ? `mod+${key}` : key];
      if (!act) return;
      event.preventDefault();
      held = event.key;
      // A focused card may be scrolled out of view. A key must not decide a call that the person does not see.
      if (card?.current && !onScreen(card.current)) card.current.scrollIntoView({ block: "nearest" });
      else act();
    };
    if (listeners.length === 0) window.addEventListener("keydown", onKeyDown);
    listeners.unshift(onKey);
    return () => {
      listeners.splice(listeners.indexOf(onKey), 1);
      if (listeners.length === 0) window.removeEventListener("keydown", onKeyDown);
    };
  }, [singleKeys, card]);
}

function onScreen(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

function mayAct(key: string, target: Element | null, singleKeys: boolean): boolean {
  if (target?.closest(overlay)) return false;
  if (key === "escape" || key === "f6") return true;
  if (key.length === 1 && !singleKeys) return false;
  if (target?.closest(typing)) return false;
  return !(key === "enter" && target?.closest(pressable));
}
