import { type RefObject, useContext, useEffect, useRef } from "react";
import { PlaceContext } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { type CommandId, commandIds, entryOf, type Group, groups } from "../logic/keyboard/commands.js";
import { isCovered, isInPopup, typing } from "./take-focus.js";

/** What commands do. `undefined` while a command is not possible. */
export type Handlers = Partial<Record<CommandId, (() => void) | undefined>>;

const pressable = "a[href], button, summary, [role=button], [role=checkbox], [role=radio], input";
/** A dialog of the inbox, whose place the command palette may take. */
const dialog = ".cs-dialog";

/** A field of an open editor. Letters are text while it is open, also if the field has lost the focus. */
const editor = ".cs-editor";

/** What a key does in one component. */
interface Match {
  group: Group;
  run: () => void;
}

/** A component that listens. */
interface Listener {
  /** Whether a dialog or menu lies above it. */
  isCovered(event: KeyboardEvent): boolean;
  match(event: KeyboardEvent): Match | undefined;
}

/** The components that listen, newest first. */
const listeners: Listener[] = [];

/**
 * The components that no dialog or menu covered when the key was pressed. The dialog that had the focus may close before the key
 * arrives here.
 */
let uncovered: readonly Listener[] = [];

function onKeyDownFirst(event: KeyboardEvent): void {
  uncovered = listeners.filter((listener) => !listener.isCovered(event));
}

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
    .filter((listener) => uncovered.includes(listener))
    .flatMap((listener) => listener.match(event) ?? [])
    .sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
  if (!first) return;
  event.preventDefault();
  held = event.key;
  first.run();
}

/**
 * Runs commands by key where the host lets keys act, except while the reader types, or a dialog or menu is open above it, of the
 * inbox or of a host's page. While they are possible, the command palette of the inbox offers them and runs the same handlers.
 * Single calls have no palette.
 */
export function useCommands(handlers: Handlers): void {
  const latest = useRef(handlers);
  useOffered(handlers, latest);
  const { singleKeys, covers } = useInbox();
  const { element, keys } = useContext(PlaceContext);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const match = (event: KeyboardEvent): Match | undefined => {
      const { mod, shift, key, target } = pressed(event);
      const own = element.current;
      if (keys === "none" || (keys === "focused" && !own?.contains(target))) return undefined;
      if (mod ? selectsText(key, target) : !mayAct(key, target, singleKeys.get())) return undefined;
      if (!mod && key.length === 1 && own?.querySelector(editor)) return undefined;
      const id =
        (shift ? commandOf(latest.current, `shift+${key}`) : undefined) ??
        commandOf(latest.current, mod ? `mod+${key}` : key);
      const act = id && latest.current[id];
      if (!act) return undefined;
      const run = () => {
        // It may be scrolled out of view. A key must not decide a call that the person does not see.
        const box = own?.firstElementChild;
        if (box && !onScreen(box)) box.scrollIntoView({ block: "nearest" });
        else act();
      };
      return { group: entryOf(id).group, run };
    };
    const listener: Listener = {
      match,
      isCovered(event) {
        const { mod, key, target } = pressed(event);
        if (mod && key === "k" && target?.closest(dialog)) return false;
        return covers.get() > 0 || isCovered(element.current) || isInPopup(target, element.current);
      },
    };
    if (listeners.length === 0) {
      window.addEventListener("keydown", onKeyDownFirst, { capture: true });
      window.addEventListener("keydown", onKeyDown);
    }
    listeners.unshift(listener);
    return () => {
      listeners.splice(listeners.indexOf(listener), 1);
      if (listeners.length > 0) return;
      window.removeEventListener("keydown", onKeyDownFirst, { capture: true });
      window.removeEventListener("keydown", onKeyDown);
    };
  }, [singleKeys, covers, element, keys]);
}

/** Lists what is possible for the palette. */
function useOffered(handlers: Handlers, latest: RefObject<Handlers>): void {
  const { offered } = useInbox();
  const { of } = useContext(PlaceContext);
  const possible = commandIds.filter((id) => handlers[id]).join(" ");
  useEffect(() => {
    if (of !== "inbox" || possible === "") return undefined;
    const added = commandIds
      .filter((id) => possible.split(" ").includes(id))
      .map((id) => ({ id, run: () => latest.current[id]?.() }));
    offered.set((all) => [...all, ...added]);
    return () => offered.set((all) => all.filter((each) => !added.includes(each)));
  }, [offered, of, possible, latest]);
}

function commandOf(handlers: Handlers, key: string): CommandId | undefined {
  return commandIds.find((each) => handlers[each] && entryOf(each).keys.includes(key));
}

function onScreen(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

function pressed({ ctrlKey, metaKey, shiftKey, key, target }: KeyboardEvent) {
  return {
    mod: ctrlKey || metaKey,
    shift: shiftKey && !ctrlKey && !metaKey,
    key: key.toLowerCase(),
    target: target instanceof Element ? target : null,
  };
}

/** Whether Ctrl+A selects the text of a field or of a call there. */
function selectsText(key: string, target: Element | null): boolean {
  return key === "a" && target?.closest(`${typing}, .cs-detail-pane`) != null;
}

function mayAct(key: string, target: Element | null, singleKeys: boolean): boolean {
  if (key === "escape" || key === "f6") return true;
  if (key.length === 1 && !singleKeys) return false;
  if (target?.closest(typing)) return false;
  return !(key === "enter" && target?.closest(pressable));
}
