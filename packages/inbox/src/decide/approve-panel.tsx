import { useEffect, useId, useRef, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { SafeText } from "../components/safe-text.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { typedRight, weightOf, wordToType } from "../logic/action-words.js";
import { sentenceOf } from "../logic/sentence.js";
import { useGrantChoice } from "./grant-choice.js";
import { approveLabel } from "./labels.js";
import type { Deciding } from "./use-decision.js";
import type { Editing } from "./use-editing.js";

/** How long the button waits before it can be pressed, in milliseconds. */
const armMs = 1000;

interface ApprovePanelProps {
  approval: Approval;
  editing: Editing;
  deciding: Deciding;
}

/** The second look at what is weighty: the sentence again, a moment's wait, and for what is critical a word to type. */
export function ApprovePanel({ approval, editing, deciding }: ApprovePanelProps) {
  const [armed, setArmed] = useState(false);
  const [typed, setTyped] = useState("");
  const [grant] = useGrantChoice(approval.id);
  const first = useRef<HTMLElement>(null);
  const wordId = useId();
  const weight = weightOf(approval);
  const wanted = wordToType({ ...approval, input: editing.input });
  useEffect(() => {
    first.current?.focus();
    const timer = setTimeout(() => setArmed(true), armMs);
    return () => clearTimeout(timer);
  }, []);
  const standing = deciding.panel === "grant" ? grant : undefined;
  const typing = weight === "type" && !typedRight(typed, wanted);
  const waiting = typing ? "Type the word first" : armed ? undefined : "Ready in a moment";
  const blocked = deciding.blockedApproval ?? waiting;
  const approve = () => deciding.approve(standing?.grant);
  useShortcuts({ a: blocked || weight === "type" ? undefined : approve });
  return (
    <form
      className="cs-panel"
      aria-label="Approve"
      onSubmit={(event) => {
        event.preventDefault();
        if (!blocked) approve();
      }}
    >
      <p className="cs-panel-sentence">
        <SafeText text={sentenceOf(approval)} />
      </p>
      {standing && (
        <p className="cs-panel-grant">
          <SafeText text={standing.words} />
          <small>You can take this back at any time under Standing.</small>
        </p>
      )}
      {weight === "type" && (
        <label className="cs-panel-word" htmlFor={wordId}>
          <span>
            Type <code className="cs-mono">{wanted}</code> to approve
          </span>
          <input
            ref={(element) => {
              first.current = element;
            }}
            id={wordId}
            className="cs-input"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
      <div className="cs-decision-buttons">
        <Button tone="quiet" shortcut="Esc" onClick={() => deciding.setPanel("none")}>
          Cancel
        </Button>
        <span className="cs-spacer" />
        <Button
          type="submit"
          ref={(element) => {
            if (weight !== "type") first.current = element;
          }}
          tone="primary"
          data-arming={!armed || undefined}
          blocked={blocked}
          aria-busy={deciding.sending}
        >
          {standing ? "Approve and allow from now on" : approveLabel(approval, editing.changes.length)}
        </Button>
      </div>
    </form>
  );
}
