import { type KeyboardEvent, useContext, useEffect, useRef, useState } from "react";
import { Button } from "../components/button.js";
import { PlaceContext } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { takeFocus } from "../keyboard/take-focus.js";
import { LazyOverlay } from "../lazy/lazy-overlay.js";
import { lazyPart } from "../lazy/lazy-part.js";
import { isReplaceable, reasonOfKey } from "../logic/decisions/deny-reasons.js";
import { words } from "../words/words.js";
import { DenyReason, useReasons } from "./deny-reason.js";
import type { Deciding } from "./use-decision.js";

const ReasonsDialog = lazyPart(() => import("./reasons-dialog.js"));

/**
 * Denies a call with a preset or custom reason, which the agent reads. Outside of the text field, the number of a preset reason
 * chooses it, and other characters go into the field. A number that other characters follow was the beginning of a text, such as
 * "2 payments", so it goes into the field with them and chooses nothing.
 */
export function DenyPanel({ deciding }: { deciding: Deciding }) {
  const { draft, changeDraft } = deciding;
  const { singleKeys } = useInbox();
  const { keys } = useContext(PlaceContext);
  const reasons = useReasons();
  const field = useRef<HTMLInputElement>(null);
  const deny = useRef<HTMLButtonElement>(null);
  /** The numbers typed on the button since the panel opened, of which the last has chosen the reason. */
  const numbers = useRef("");
  const [editing, setEditing] = useState(false);
  useEffect(() => {
    takeFocus(deny.current);
    // In a low window, the buttons would cover it.
    field.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (keys === "none") return;
    const { key, target, ctrlKey, metaKey, altKey, repeat } = event;
    if (key.length > 1 || ctrlKey || metaKey || altKey || target === field.current) return;
    const begun = target === deny.current ? numbers.current : "";
    // The space bar presses buttons.
    if (key === " " && begun === "") return;
    // Not a shortcut of the page.
    event.stopPropagation();
    const isFree = isReplaceable(draft.denyReason, reasons);
    const reason = singleKeys.get() && isFree ? reasonOfKey(key, reasons) : undefined;
    // The key that opened the panel may still be held down.
    if (repeat || reason !== undefined || begun !== "") event.preventDefault();
    if (repeat) return;
    if (reason === undefined) {
      if (begun !== "") changeDraft({ denyReason: begun + key });
      numbers.current = "";
      focusEnd(field.current);
    } else {
      numbers.current = begun + key;
      changeDraft({ denyReason: reason });
      deny.current?.focus();
    }
  };
  return (
    <>
      <form
        className="cs-panel"
        aria-label={words.decide.deny.title}
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          deciding.deny(draft.denyReason);
        }}
      >
        <DenyReason
          reasons={reasons}
          reason={draft.denyReason}
          onChange={(denyReason) => {
            numbers.current = "";
            changeDraft({ denyReason });
          }}
          field={field}
        >
          <Button tone="quiet" onClick={() => setEditing(true)}>
            {words.decide.deny.edit}
          </Button>
        </DenyReason>
        <div className="cs-decision-buttons">
          <Button
            ref={deny}
            tone="danger"
            type="submit"
            command="denyNow"
            blocked={deciding.blocked}
            aria-busy={deciding.sending}
            onBlur={() => {
              numbers.current = "";
            }}
          >
            {words.decide.deny.title}
          </Button>
          <span className="cs-spacer" />
          <Button tone="quiet" command="cancel" onClick={() => deciding.setPanel("none")}>
            {words.common.cancel}
          </Button>
        </div>
      </form>
      {/* Outside the form, so that submitting the dialog does not deny the call. */}
      {editing && (
        <LazyOverlay>
          <ReasonsDialog reasons={reasons} onClose={() => setEditing(false)} />
        </LazyOverlay>
      )}
    </>
  );
}

/** Puts the cursor behind the text of a field. */
function focusEnd(field: HTMLInputElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}
