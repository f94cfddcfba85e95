import { type ComponentPropsWithoutRef, type CSSProperties, forwardRef, type KeyboardEvent } from "react";
import { useKeyHint } from "../data/browser/use-key-hint.js";
import type { KeyId } from "../logic/keyboard/commands.js";
import { Kbd } from "./kbd.js";

interface ButtonProps extends ComponentPropsWithoutRef<"button"> {
  tone?: "primary" | "danger" | "plain" | "quiet";
  /** The command whose key is printed on the button. */
  command?: KeyId | undefined;
  /** Why the button is disabled now. It stays focusable so that screen readers can read the reason. */
  blocked?: string | undefined;
  /** Fills the button in this time, in milliseconds, while it is blocked. */
  arming?: number | undefined;
}

/** Ignores Enter while it is held down: what a repeat would press was not there when the key went down. */
export function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter") event.preventDefault();
}

/** A button. React 18 hands a `ref` only to components that forward it. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { tone = "plain", command, blocked, arming, children, onClick, ...rest },
  ref,
) {
  const key = useKeyHint(command);
  return (
    <button
      ref={ref}
      type="button"
      className="cs-button"
      data-tone={tone}
      aria-keyshortcuts={key.aria}
      aria-disabled={blocked ? true : undefined}
      title={blocked}
      data-arming={arming === undefined ? undefined : true}
      style={arming === undefined ? undefined : ({ "--cs-arming": `${arming}ms` } as CSSProperties)}
      onKeyDown={ignoreHeldEnter}
      onClick={blocked ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {children}
      {key.text && <Kbd>{key.text}</Kbd>}
      {blocked && <span className="cs-visually-hidden"> ({blocked})</span>}
    </button>
  );
});
