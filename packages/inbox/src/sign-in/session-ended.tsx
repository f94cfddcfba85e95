import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useRef } from "react";
import { ModalPopup } from "../components/modal-popup.js";
import { words } from "../words/words.js";
import { SignInForm } from "./sign-in-form.js";

/** Lets a person whose session has ended sign in again, over the page as it was. */
export default function SessionEnded({ name }: { name: string }) {
  const first = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open>
      <ModalPopup initialFocus={() => first.current ?? true}>
        <header className="cs-dialog-head">
          <AlertDialog.Title className="cs-dialog-title">{words.signIn.ended}</AlertDialog.Title>
        </header>
        <AlertDialog.Description className="cs-dialog-words">
          {words.signIn.goOnAs(name)}
        </AlertDialog.Description>
        <div className="cs-sign-in-card">
          <SignInForm as={name} first={first} />
        </div>
      </ModalPopup>
    </AlertDialog.Root>
  );
}
