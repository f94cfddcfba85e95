import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { Icon } from "../components/icon.js";

interface DialogFrameProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog over the page, with a title and a way out. */
export function DialogFrame({ title, onClose, children }: DialogFrameProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="cs-backdrop" />
        <Dialog.Popup className="cs-dialog">
          <header className="cs-dialog-head">
            <Dialog.Title className="cs-dialog-title">{title}</Dialog.Title>
            <Dialog.Close className="cs-button" data-tone="quiet" aria-label="Close">
              <Icon name="close" />
            </Dialog.Close>
          </header>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
