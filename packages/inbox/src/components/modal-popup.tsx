import { Dialog } from "@base-ui/react/dialog";
import { usePortal } from "../data/inbox/host.js";
import { Covers } from "./covers.js";

/** The popup of a `Dialog` or `AlertDialog`, over a backdrop. */
export function ModalPopup({ className = "", children, ...props }: Dialog.Popup.Props) {
  return (
    <Dialog.Portal {...usePortal()}>
      <Dialog.Backdrop className="cs-backdrop" />
      <Dialog.Popup {...props} className={`cs-dialog ${className}`.trim()}>
        <Covers />
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  );
}
