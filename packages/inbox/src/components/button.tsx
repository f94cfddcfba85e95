import { type ComponentPropsWithoutRef, forwardRef } from "react";
import { Kbd } from "./kbd.js";

interface ButtonProps extends ComponentPropsWithoutRef<"button"> {
  tone?: "primary" | "danger" | "plain" | "quiet";
  /** The keyboard shortcut, printed on the button. */
  shortcut?: string | undefined;
  /** Why the button is disabled now. It stays focusable so that screen readers can read the reason. */
  blocked?: string | undefined;
}

/** A button. React 18 hands a `ref` only to components that forward it. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { tone = "plain", shortcut, blocked, children, onClick, ...rest },
  ref,
) {
  return (
    <button
      ref={ref}
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
      {blocked && <span className="cs-visually-hidden"> ({blocked})</span>}
    </button>
  );
});
