import { words } from "../words/words.js";

/** A key printed on a button. Hidden from screen readers, which read `aria-keyshortcuts`. */
export function Kbd({ children }: { children: string }) {
  return (
    <span className="cs-kbd" aria-hidden="true">
      {children.replace("Ctrl", words.common.ctrl)}
    </span>
  );
}
