import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useContext, useMemo } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";
import type { Approval } from "../api/approval.js";
import { Kbd } from "../components/kbd.js";
import { ModalPopup } from "../components/modal-popup.js";
import { useIsMac } from "../data/browser/use-key-hint.js";
import { HostContext } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { keys as queryKeys } from "../data/inbox/query-keys.js";
import { useValue } from "../data/inbox/value-store.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { actsByKey, type CommandId, commandIds, entryOf } from "../logic/keyboard/commands.js";
import { keyText } from "../logic/keyboard/key-text.js";
import { historyTimes, historyTitle, withTime } from "../logic/lists/history-query.js";
import { searchOf } from "../logic/lists/view.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { useSignOut } from "../sign-in/use-sign-out.js";
import { words } from "../words/words.js";

interface Item {
  id: string;
  label: string;
  group: string;
  /** What the person types to find it. @default the label */
  typed?: string;
  /** The key that does the same. */
  shortcut?: string;
  run: () => void;
}

interface CommandPaletteProps {
  items: readonly Approval[];
  /** The open call. */
  openId: string | undefined;
  onClose: () => void;
}

/** The most approvals that the palette lists. */
const maxApprovals = 200;

const themes = ["light", "dark", "system"] as const;

/** Commands that may approve at once. */
const approving: readonly CommandId[] = ["approve", "approveChanges"];

/**
 * Finds what is possible now, pages and pending approvals by name. What concerns the open call comes first, except for what
 * approves it.
 */
export default function CommandPalette({ items, openId, onClose }: CommandPaletteProps) {
  const { config, offered } = useInbox();
  const { theme } = useContext(HostContext);
  const possible = useValue(offered);
  const isMac = useIsMac();
  const [, navigate] = useLocation();
  const [, change] = usePreferences();
  const signOut = useSignOut();
  const client = useQueryClient();
  const { palette: texts } = words.commands;
  const choices = useMemo((): Item[] => {
    const { pages } = words.page;
    const go = (id: string, label: string, href: string) => ({
      id,
      label,
      group: texts.goTo,
      run: () => navigate(href),
    });
    const set = (id: string, label: string, run: () => void) => ({ id, label, group: texts.settings, run });
    const possibleIds = possible.map((each) => each.id);
    const commands = commandIds.flatMap((id): Item[] => {
      const { group, keys, keyOnly } = entryOf(id);
      const command = possible.findLast((each) => each.id === id);
      if (!command || keyOnly) return [];
      const [key] = keys;
      const { run } = command;
      const typed = words.commands.labels[id];
      const call = approving.includes(id) && openId !== undefined && openCall(client, openId);
      const label = call ? texts.commandOf(typed, sentenceOf(call)) : typed;
      const acts = actsByKey(id, possibleIds);
      const shortcut = key && acts && { shortcut: keyText(key, isMac) };
      return [{ id, label, typed, group: words.commands.groups[group], run, ...shortcut }];
    });
    const approves = (item: Item) => approving.some((id) => id === item.id);
    return [
      ...commands.filter((item) => !approves(item)),
      go("lists", words.page.title, "/"),
      go("history", pages.history, "/history"),
      ...historyTimes.map((time) => {
        const text = withTime("", time);
        return go(time, historyTitle(text), `/history${searchOf({ list: "for_you", text })}`);
      }),
      go("grants", pages.grants, "/grants"),
      go("insight", pages.insight, "/insight"),
      ...(theme === undefined
        ? themes.map((each) => set(each, texts[each], () => change({ theme: each })))
        : []),
      ...(config.signIn && "session" in config.signIn
        ? [set("out", texts.signOut, () => void signOut())]
        : []),
      ...items.slice(0, maxApprovals).map((item) => ({
        ...go(item.id, sentenceOf(item), `/approvals/${item.id}`),
        group: texts.open,
      })),
      ...commands.filter(approves),
    ];
  }, [texts, possible, isMac, items, openId, client, navigate, change, theme, config.signIn, signOut]);
  const run = (item: Item) => {
    // First the dialog gives the focus back, in a microtask. Then the command may move it.
    flushSync(onClose);
    queueMicrotask(item.run);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <ModalPopup className="cs-palette" aria-label={texts.title}>
        <Autocomplete.Root
          items={choices}
          open
          inline
          // Nothing is chosen before the person types or moves, and then the first that fits: Enter alone must not approve a
          // call, nor a text that fits a page or another call. What approves is last, and found only by its own name.
          autoHighlight
          keepHighlight
          itemToStringValue={(item: Item) => item.typed ?? item.label}
        >
          <Autocomplete.Input
            className="cs-palette-input"
            placeholder={texts.hint}
            aria-label={texts.field}
          />
          <Autocomplete.Empty className="cs-hint">{texts.none}</Autocomplete.Empty>
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
      </ModalPopup>
    </Dialog.Root>
  );
}

function openCall(client: QueryClient, id: string): Approval | undefined {
  return client.getQueryData<Approval>(queryKeys.approval(id));
}
