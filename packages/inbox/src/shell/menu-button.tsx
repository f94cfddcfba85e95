import { type ComponentProps, type ReactNode, type RefObject, useRef, useState } from "react";
import { Button } from "../components/button.js";
import { LazyOverlay } from "../lazy/lazy-overlay.js";

/** What a menu of the header gets from its button. */
export interface HeaderMenuProps {
  /** The button that opened the menu, which gets the focus back. */
  button: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

interface MenuButtonProps extends ComponentProps<typeof Button> {
  menu: (props: HeaderMenuProps) => ReactNode;
}

/** A button of the header that opens a menu, which is loaded then. */
export function MenuButton({ menu, ...rest }: MenuButtonProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        ref={button}
        tone="quiet"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(true)}
        {...rest}
      />
      {open && <LazyOverlay>{menu({ button, onClose: () => setOpen(false) })}</LazyOverlay>}
    </>
  );
}
