import { useEffect, useId, useRef } from "react";
import type { Approval } from "../api/approval.js";
import { Button, ignoreHeldEnter } from "../components/button.js";
import { FilledText } from "../components/filled-text.js";
import { Sentence } from "../components/sentence.js";
import type { Review } from "../data/approvals/use-review.js";
import { takeFocus } from "../keyboard/take-focus.js";
import { words } from "../words/words.js";
import { useArming } from "./use-arming.js";
import type { Undoing } from "./use-undo.js";

/** The longest reason that the API accepts, in characters. */
const maxReasonLength = 2000;

interface UndoPanelProps {
  approval: Approval;
  undoing: Undoing;
  review: Review;
  onClose: () => void;
}

/** Asks for the undo of a call with an optional reason. The button fills first: no key undoes what nobody can have read. */
export function UndoPanel({ approval, undoing, review, onClose }: UndoPanelProps) {
  const { arming, armingMs } = useArming(review);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => takeFocus(field.current), []);
  const texts = words.decide.undo;
  const blocked = undoing.blocked ?? (arming ? words.decide.soon : undefined);
  const ask = async () => {
    if (!blocked && (await undoing.ask())) onClose();
  };
  return (
    <form
      className="cs-panel"
      aria-label={texts.title}
      onKeyDown={ignoreHeldEnter}
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <p className="cs-panel-sentence">
        <FilledText text={texts.call} parts={{ call: <Sentence approval={approval} /> }} />
      </p>
      <label className="cs-panel-word" htmlFor={id}>
        <span>
          {texts.reason} <small>· {texts.reasonNote}</small>
        </span>
        <input
          ref={field}
          id={id}
          className="cs-input"
          maxLength={maxReasonLength}
          autoComplete="off"
          value={undoing.reason}
          onChange={(event) => undoing.changeReason(event.target.value)}
        />
      </label>
      <p className="cs-panel-lapsed" role="status">
        {undoing.lapsed}
        {undoing.lapsed && undoing.reason !== "" && ` ${texts.reasonKept}`}
      </p>
      <div className="cs-decision-buttons">
        <Button tone="quiet" command="cancel" onClick={onClose}>
          {words.common.cancel}
        </Button>
        <span className="cs-spacer" />
        <Button
          tone="danger"
          type="submit"
          arming={arming && !undoing.blocked ? armingMs : undefined}
          blocked={blocked}
          aria-busy={undoing.sending}
        >
          {texts.run}
        </Button>
      </div>
    </form>
  );
}
