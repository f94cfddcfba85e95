import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useMemo } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";
import type { Approval } from "../api/approval.js";
import { Kbd } from "../components/kbd.js";
import { useIsMac } from "../data/browser/use-key-hint.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { commandIds, entryOf, groups } from "../logic/keyboard/commands.js";
import { keyText } from "../logic/keyboard/key-text.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { useSignOut } from "../sign-in/use-sign-out.js";

interface Item {
  id: string;
  label: string;
  group: string;
  /** The key that does the same. */
  shortcut?: string;
  run: () => void;
}

interface CommandPaletteProps {
  items: readonly Approval[];
  onClose: () => void;
}

/** The most approvals that the palette lists. */
const maxApprovals = 200;

/** Finds what is possible now, pages and pending approvals by name. What concerns the open call comes first. */
export default function CommandPalette({ items, onClose }: CommandPaletteProps) {
  const { config, offered } = useInbox();
  const possible = useValue(offered);
  const isMac = useIsMac();
  const [, navigate] = useLocation();
  const [, change] = usePreferences();
  const signOut = useSignOut();
  const choices = useMemo((): Item[] => {
    const go = (id: string, label: string, href: string) => ({
      id,
      label,
      group: "Go to",
      run: () => navigate(href),
    });
    const set = (id: string, label: string, run: () => void) => ({ id, label, group: "Settings", run });
    const commands = commandIds.flatMap((id) => {
      const { label, group, keys, keyOnly } = entryOf(id);
      const command = possible.findLast((each) => each.id === id);
      if (!command || keyOnly) return [];
      const [key] = keys;
      const { run } = command;
      return { id, label, group: groups[group], ...(key && { shortcut: keyText(key, isMac) }), run };
    });
    return [
      ...commands,
      go("lists", "Approvals", "/"),
      go("history", "History", "/history"),
      go("grants", "Grants", "/grants"),
      go("insight", "Insight", "/insight"),
      set("light", "Use light theme", () => change({ theme: "light" })),
      set("dark", "Use dark theme", () => change({ theme: "dark" })),
      set("system", "Use system theme", () => change({ theme: "system" })),
      ...(config.signIn && "session" in config.signIn ? [set("out", "Sign out", () => void signOut())] : []),
      ...items.slice(0, maxApprovals).map((item) => ({
        ...go(item.id, sentenceOf(item), `/approvals/${item.id}`),
        group: "Open",
      })),
    ];
  }, [possible, isMac, items, navigate, change, config.signIn, signOut]);
  const run = (item: Item) => {
    // First the dialog gives the focus back, in a microtask. Then the command may move it.
    flushSync(onClose);
    queueMicrotask(item.run);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="cs-backdrop" />
        <Dialog.Popup className="cs-dialog cs-palette" aria-label="Commands">
          <Autocomplete.Root
            items={choices}
            open
            inline
            // Nothing is chosen before the person types or moves: Enter alone must not approve a call.
            autoHighlight
            keepHighlight
            itemToStringValue={(item: Item) => item.label}
          >
            <Autocomplete.Input
              className="cs-palette-input"
              placeholder="Type a command or search"
              aria-label="Command"
            />
            <Autocomplete.Empty className="cs-hint">No results.</Autocomplete.Empty>
            <Autocomplete.List className="cs-palette-list">
              {(item: Item) => (
                <Autocomplete.Item
                  key={item.id}
                  value={item}
                  className="cs-menu-item"
                  onClick={() => run(item)}
                >
                  <small>{item.group}</small>
                  {item.label}
                  {item.shortcut && <Kbd>{item.shortcut}</Kbd>}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
