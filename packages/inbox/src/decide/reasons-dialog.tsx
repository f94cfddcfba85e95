import { useId, useState } from "react";
import { Button } from "../components/button.js";
import { DialogFrame } from "../components/dialog-frame.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { readReasons } from "../logic/decisions/deny-reasons.js";
import { words } from "../words/words.js";

interface ReasonsDialogProps {
  /** The reasons that are offered now. */
  reasons: readonly string[];
  onClose: () => void;
}

/** Edits the reader's preset reasons for denying. */
export default function ReasonsDialog({ reasons: given, onClose }: ReasonsDialogProps) {
  const [, change] = usePreferences();
  const [text, setText] = useState(given.join("\n"));
  const [tried, setTried] = useState(false);
  const id = useId();
  const texts = words.decide.deny;
  const { reasons, problem } = readReasons(text);
  const shownProblem = tried ? problem : undefined;
  return (
    <DialogFrame title={texts.reasonsTitle} onClose={onClose}>
      <form
        className="cs-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (problem !== undefined) return;
          change({ denyReasons: reasons });
          onClose();
        }}
      >
        <label className="cs-panel-word" htmlFor={id}>
          <span>
            {texts.reasons} <small>· {texts.reasonsNote}</small>
          </span>
          <textarea
            id={id}
            className="cs-input"
            rows={7}
            value={text}
            aria-invalid={shownProblem ? true : undefined}
            aria-describedby={shownProblem ? `${id}-problem` : undefined}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        {shownProblem && (
          <p id={`${id}-problem`} className="cs-problem" role="alert">
            {shownProblem}
          </p>
        )}
        <div className="cs-decision-buttons">
          <span className="cs-spacer" />
          <Button tone="quiet" onClick={onClose}>
            {words.common.cancel}
          </Button>
          <Button type="submit" tone="primary">
            {words.decide.save}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
