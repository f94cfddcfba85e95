import { useEffect, useRef } from "react";
import { Button, ignoreHeldEnter } from "../components/button.js";
import { takeFocus } from "../keyboard/take-focus.js";
import { words } from "../words/words.js";
import type { Deciding } from "./use-decision.js";

/** Declines to answer a question, once the reader has said so twice. */
export function DeclinePanel({ deciding }: { deciding: Deciding }) {
  const cancel = useRef<HTMLButtonElement>(null);
  const { decline, declineNote } = words.decide.answer;
  useEffect(() => takeFocus(cancel.current), []);
  return (
    <form
      className="cs-panel"
      aria-label={decline}
      onKeyDown={ignoreHeldEnter}
      onSubmit={(event) => {
        event.preventDefault();
        deciding.answer({ action: "decline" });
      }}
    >
      <p className="cs-panel-sentence">{declineNote}</p>
      <div className="cs-decision-buttons">
        <Button type="submit" tone="danger" blocked={deciding.blocked} aria-busy={deciding.sending}>
          {decline}
        </Button>
        <span className="cs-spacer" />
        <Button ref={cancel} tone="quiet" command="cancel" onClick={() => deciding.setPanel("none")}>
          {words.common.cancel}
        </Button>
      </div>
    </form>
  );
}
