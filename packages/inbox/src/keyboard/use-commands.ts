import { type RefObject, useContext, useEffect, useRef } from "react";
import { CardScope } from "../data/inbox/card-scope.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { type CommandId, commandIds, entryOf, type Group, groups } from "../logic/keyboard/commands.js";

/** What commands do. `undefined` while a command is not possible. */
export type Handlers = Partial<Record<CommandId, (() => void) | undefined>>;

const typing = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]';
const pressable = "a[href], button, summary, [role=button], [role=checkbox], [role=radio], input";
const overlay = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** A field of an open editor. Letters are text while it is open, also if the field has lost the focus. */
const editor = ".cs-editor";

/** What a key does in one component. */
interface Match {
  group: Group;
  run: () => void;
}

/** The components that listen, newest first. */
const listeners: ((event: KeyboardEvent) => Match | undefined)[] = [];

/** The key that acted last. While it is held down, its repeats do nothing, nor are they typed into a field it has opened. */
let held: string | undefined;

function onKeyDown(event: KeyboardEvent): void {
  if (event.repeat) {
    if (event.key === held) event.preventDefault();
    return;
  }
  held = undefined;
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  // The open call comes before the list and the page. Age alone does not say so: another language mounts all of them again.
  const [first] = listeners
    .flatMap((match) => match(event) ?? [])
    .sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
  if (!first) return;
  event.preventDefault();
  held = event.key;
  first.run();
}

/**
 * Runs commands by key anywhere on the page, or in a card, except while the reader types or a dialog or menu is open. While
 * they are possible, the command palette of the inbox offers them and runs the same handlers. Cards have no palette.
 */
export function useCommands(handlers: Handlers): void {
  const latest = useRef(handlers);
  useOffered(handlers, latest);
  const { singleKeys } = useInbox();
  const card = useContext(CardScope);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const match = (event: KeyboardEvent): Match | undefined => {
      const mod = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      const target = event.target instanceof Element ? event.target : null;
      if (card && !card.current?.contains(target)) return undefined;
      if (mod ? key !== "k" && target?.closest(overlay) : !mayAct(key, target, singleKeys.get()))
        return undefined;
      if (!mod && key.length === 1 && (card?.current ?? document).querySelector(editor)) return undefined;
      const id = commandOf(latest.current, mod ? `mod+${key}` : key);
      const act = id && latest.current[id];
      if (!act) return undefined;
      const run = () => {
        // A focused card may be scrolled out of view. A key must not decide a call that the person does not see.
        if (card?.current && !onScreen(card.current)) card.current.scrollIntoView({ block: "nearest" });
        else act();
      };
      return { group: entryOf(id).group, run };
    };
    if (listeners.length === 0) window.addEventListener("keydown", onKeyDown);
    listeners.unshift(match);
    return () => {
      listeners.splice(listeners.indexOf(match), 1);
      if (listeners.length === 0) window.removeEventListener("keydown", onKeyDown);
    };
  }, [singleKeys, card]);
}

/** Lists what is possible for the palette. */
function useOffered(handlers: Handlers, latest: RefObject<Handlers>): void {
  const { offered } = useInbox();
  const inCard = useContext(CardScope) !== null;
  const possible = commandIds.filter((id) => handlers[id]).join(" ");
  useEffect(() => {
    if (inCard || possible === "") return undefined;
    const added = commandIds
      .filter((id) => possible.split(" ").includes(id))
      .map((id) => ({ id, run: () => latest.current[id]?.() }));
    offered.set((all) => [...all, ...added]);
    return () => offered.set((all) => all.filter((each) => !added.includes(each)));
  }, [offered, inCard, possible, latest]);
}

function commandOf(handlers: Handlers, key: string): CommandId | undefined {
  return commandIds.find((each) => handlers[each] && entryOf(each).keys.includes(key));
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
