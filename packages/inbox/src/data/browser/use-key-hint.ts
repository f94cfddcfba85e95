import { useContext, useSyncExternalStore } from "react";
import { entryOf, type KeyId } from "../../logic/keyboard/commands.js";
import { ariaKey, keyText } from "../../logic/keyboard/key-text.js";
import { PlaceContext } from "../inbox/host.js";

const never = () => () => {};
const isMac = () => /mac|iphone|ipad/i.test(navigator.platform);

/** Whether the reader's keyboard has a ⌘ key. Servers do not know. */
export function useIsMac(): boolean {
  return useSyncExternalStore(never, isMac, () => false);
}

/** The first key of a command: `text` to print on its button, and `aria` for `aria-keyshortcuts`. */
export function useKeyHint(id: KeyId | undefined): { text?: string; aria?: string } {
  const mac = useIsMac();
  const { keys } = useContext(PlaceContext);
  const key = id && entryOf(id).keys[0];
  return key === undefined || keys === "none" ? {} : { text: keyText(key, mac), aria: ariaKey(key, mac) };
}
