import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, type RefObject, useState } from "react";
import { words } from "../words/words.js";
import { Icon } from "./icon.js";
import { ModalPopup } from "./modal-popup.js";

interface DialogFrameProps {
  title: string;
  onClose: () => void;
  /** Whether it may be as wide as the window, for tables. @default false */
  wide?: boolean;
  /** The element that gets the focus first. @default the first control of the dialog */
  initialFocus?: RefObject<HTMLElement | null>;
  /** The part of the page whose first control gets the focus afterwards, if what had it before is gone. */
  home?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/** A modal dialog with a title and a close button. */
export function DialogFrame({
  title,
  onClose,
  wide = false,
  initialFocus,
  home,
  children,
}: DialogFrameProps) {
  const [opener] = useState(() => document.activeElement);
  const isThere = () => opener !== document.body && opener?.isConnected;
  return (
    <Dialog.Root
      open
      onOpenChange={(open, { event, cancel }) => {
        if (open) return;
        // A press in a dialog above this one is not outside of it.
        const isAbove = event.target instanceof Element && event.target.closest('[role="alertdialog"]');
        if (isAbove) cancel();
        else onClose();
      }}
    >
      <ModalPopup
        data-wide={wide || undefined}
        {...(initialFocus && { initialFocus })}
        {...(home && { finalFocus: () => isThere() || home.current })}
      >
        <header className="cs-dialog-head">
          <Dialog.Title className="cs-dialog-title">{title}</Dialog.Title>
          <Dialog.Close className="cs-button" data-tone="quiet" aria-label={words.common.close}>
            <Icon name="close" />
          </Dialog.Close>
        </header>
        {children}
      </ModalPopup>
    </Dialog.Root>
  );
}
