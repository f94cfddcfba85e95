import type { ComponentProps } from "react";
import { Kbd } from "./kbd.js";

interface ButtonProps extends ComponentProps<"button"> {
  tone?: "primary" | "danger" | "plain" | "quiet";
  /** The key that does the same, printed on the button. */
  shortcut?: string | undefined;
  /** Why it cannot be used now; it stays focusable and says so. */
  blocked?: string | undefined;
}

/** A button with a verb on it. */
export function Button({ tone = "plain", shortcut, blocked, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className="cs-button"
      data-tone={tone}
      aria-keyshortcuts={shortcut}
      aria-disabled={blocked ? true : undefined}
      title={blocked}
      onClick={blocked ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {children}
      {shortcut && <Kbd>{shortcut}</Kbd>}
      {blocked && <span className="cs-unseen"> ({blocked})</span>}
    </button>
  );
}
