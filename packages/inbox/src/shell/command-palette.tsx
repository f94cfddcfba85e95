import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useMemo } from "react";
import { useLocation } from "wouter";
import type { Approval } from "../api/approval.js";
import { useInbox } from "../data/inbox-context.js";
import { usePreferences } from "../data/use-preferences.js";
import { sentenceOf } from "../logic/sentence.js";
import { visibleText } from "../logic/visible-characters.js";
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
}

/** More of them would not be read. */
const mostApprovals = 200;

/** Everything that can be done or opened, by its name. */
export default function CommandPalette({ items, onClose, onHelp }: CommandPaletteProps) {
  const { config } = useInbox();
  const [, navigate] = useLocation();
  const [{ density }, change] = usePreferences();
  const signOut = useSignOut();
  const commands = useMemo((): Command[] => {
    const go = (id: string, label: string, href: string) => ({
      id,
      label,
      group: "Go to",
      run: () => navigate(href),
    });
    const set = (id: string, label: string, run: () => void) => ({ id, label, group: "Change", run });
    return [
      go("waiting", "Waiting", "/"),
      go("history", "History", "/history"),
      go("standing", "Standing approvals", "/standing"),
      set("light", "Light colours", () => change({ theme: "light" })),
      set("dark", "Dark colours", () => change({ theme: "dark" })),
      set("system", "Colours as the system", () => change({ theme: "system" })),
      set("density", density === "compact" ? "Comfortable list" : "Compact list", () =>
        change({ density: density === "compact" ? "comfortable" : "compact" }),
      ),
      ...(config.signIn && "session" in config.signIn ? [set("out", "Sign out", () => void signOut())] : []),
      set("help", "Keyboard shortcuts", onHelp),
      ...items.slice(0, mostApprovals).map((item) => ({
        ...go(item.id, visibleText(sentenceOf(item)), `/approvals/${item.id}`),
        group: "Open",
      })),
    ];
  }, [items, navigate, change, density, config.signIn, signOut, onHelp]);
  const run = (command: Command) => {
    onClose();
    command.run();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="cs-backdrop" />
        <Dialog.Popup className="cs-dialog cs-palette" aria-label="Commands">
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
              placeholder="What do you want to do?"
              aria-label="Command"
            />
            <Autocomplete.Empty className="cs-hint">Nothing has this name.</Autocomplete.Empty>
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
