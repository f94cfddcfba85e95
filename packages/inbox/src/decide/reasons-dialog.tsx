import { useId, useState } from "react";
import { Button } from "../components/button.js";
import { usePreferences } from "../data/use-preferences.js";
import { readReasons } from "../logic/deny-reasons.js";
import { DialogFrame } from "../shell/dialog-frame.js";

interface ReasonsDialogProps {
  /** Those that are offered now. */
  reasons: readonly string[];
  onClose: () => void;
}

/** Changes the reasons that the reader is offered when they deny. */
export default function ReasonsDialog({ reasons: given, onClose }: ReasonsDialogProps) {
  const [, change] = usePreferences();
  const [text, setText] = useState(given.join("\n"));
  const [tried, setTried] = useState(false);
  const id = useId();
  const { reasons, problem } = readReasons(text);
  const shownProblem = tried ? problem : undefined;
  return (
    <DialogFrame title="Your reasons for denying" onClose={onClose}>
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
            Reasons <small>· one on each line; none brings back the usual ones</small>
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
            Cancel
          </Button>
          <Button type="submit" tone="primary">
            Save
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
