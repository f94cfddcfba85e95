import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useMemo, useRef } from "react";
import { useLocation } from "wouter";
import type { Approval } from "../api/approval.js";
import { useMayStop } from "../data/approvals/use-stops.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { useSignOut } from "../sign-in/use-sign-out.js";

interface Command {
  id: string;
  label: string;
  group: string;
  run: () => void;
}

interface CommandPaletteProps {
  items: readonly Approval[];
  onClose: () => void;
  onHelp: () => void;
  onStop: () => void;
}

/** The most approvals that the palette lists. */
const maxApprovals = 200;

/** Finds commands, pages and pending approvals by name. */
export default function CommandPalette({ items, onClose, onHelp, onStop }: CommandPaletteProps) {
  const { config, callCommands } = useInbox();
  const ofCall = useValue(callCommands);
  const [, navigate] = useLocation();
  const [, change] = usePreferences();
  const signOut = useSignOut();
  const mayStop = useMayStop();
  const commands = useMemo((): Command[] => {
    const go = (id: string, label: string, href: string) => ({
      id,
      label,
      group: "Go to",
      run: () => navigate(href),
    });
    const set = (id: string, label: string, run: () => void) => ({ id, label, group: "Settings", run });
    return [
      ...ofCall.map(({ label, run }) => ({ id: label, label, group: "This call", run })),
      go("lists", "Approvals", "/"),
      go("history", "History", "/history"),
      go("grants", "Grants", "/grants"),
      go("insight", "Insight", "/insight"),
      set("light", "Use light theme", () => change({ theme: "light" })),
      set("dark", "Use dark theme", () => change({ theme: "dark" })),
      set("system", "Use system theme", () => change({ theme: "system" })),
      ...(config.signIn && "session" in config.signIn ? [set("out", "Sign out", () => void signOut())] : []),
      ...(mayStop ? [set("stop", "Stop or release calls", onStop)] : []),
      set("help", "Keyboard shortcuts", onHelp),
      ...items.slice(0, maxApprovals).map((item) => ({
        ...go(item.id, sentenceOf(item), `/approvals/${item.id}`),
        group: "Open",
      })),
    ];
  }, [ofCall, items, navigate, change, config.signIn, signOut, onHelp, mayStop, onStop]);
  /** Whether the command moves the focus itself: those about the call open a field, and pages have their own. */
  const movesFocus = useRef(false);
  const run = (command: Command) => {
    movesFocus.current = command.group !== "Settings";
    onClose();
    command.run();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="cs-backdrop" />
        <Dialog.Popup
          className="cs-dialog cs-palette"
          aria-label="Commands"
          finalFocus={() => !movesFocus.current}
        >
          <Autocomplete.Root
            items={commands}
            open
            inline
            autoHighlight="always"
            keepHighlight
            itemToStringValue={(command: Command) => command.label}
          >
            <Autocomplete.Input
              className="cs-palette-input"
              placeholder="Type a command or search"
              aria-label="Command"
            />
            <Autocomplete.Empty className="cs-hint">No results.</Autocomplete.Empty>
            <Autocomplete.List className="cs-palette-list">
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.id}
                  value={command}
                  className="cs-menu-item"
                  onClick={() => run(command)}
                >
                  <small>{command.group}</small>
                  {command.label}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
