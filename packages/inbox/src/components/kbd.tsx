import { useKeyHint } from "../data/browser/use-key-hint.js";
import type { KeyId } from "../logic/keyboard/commands.js";

/** A key printed on a button. Hidden from screen readers, which read `aria-keyshortcuts`. */
export function Kbd({ children }: { children: string }) {
  return (
    <span className="cs-kbd" aria-hidden="true">
      {children}
    </span>
  );
}

/** The key of a command within a text. */
export function KeyName({ of }: { of: KeyId }) {
  return <kbd className="cs-kbd">{useKeyHint(of).text}</kbd>;
}
