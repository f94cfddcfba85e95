import { useEffect, useId, useRef, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button, ignoreHeldEnter } from "../components/button.js";
import { FilledText } from "../components/filled-text.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { Sentence } from "../components/sentence.js";
import type { Review } from "../data/approvals/use-review.js";
import { takeFocus } from "../keyboard/take-focus.js";
import { useCommands } from "../keyboard/use-commands.js";
import { confirmationOf, textToType, typedMatches } from "../logic/decisions/approve-action.js";
import { grantOfDraft, newBudgetDraft } from "../logic/decisions/budget-draft.js";
import { unreviewedText } from "../logic/review/unreviewed.js";
import { grantTime, suggestedGrantText } from "../logic/wording/suggested-grant-text.js";
import { words } from "../words/words.js";
import { BudgetFields } from "./budget-fields.js";
import { approveLabel } from "./labels.js";
import { useArming } from "./use-arming.js";
import type { Deciding } from "./use-decision.js";
import type { Editing } from "./use-editing.js";
import { useGrantChoice } from "./use-grant-choice.js";

interface ApprovePanelProps {
  approval: Approval;
  editing: Editing;
  deciding: Deciding;
  review: Review;
  onShowUnreviewed: () => void;
}

/**
 * The confirmation for calls of high or critical risk, and for calls that were not fully reviewed: the summary, what was
 * not reviewed, a short delay, and for critical calls a text to type.
 */
export function ApprovePanel({ approval, editing, deciding, review, onShowUnreviewed }: ApprovePanelProps) {
  const { arming, armingMs } = useArming(review);
  const [typed, setTyped] = useState("");
  const [chosenGrant] = useGrantChoice(approval.id);
  const [enteredBudget, enterBudget] = useState(() => newBudgetDraft(approval));
  const left = unreviewedText(review.unreviewed);
  const first = useRef<HTMLElement>(null);
  const inputId = useId();
  const listId = useId();
  const confirmation = confirmationOf(approval);
  const wanted = textToType({ ...approval, input: editing.input });
  useEffect(() => takeFocus(first.current), []);
  const grant = deciding.panel === "grant" ? chosenGrant : undefined;
  const typing = confirmation === "type" && !typedMatches(typed, wanted);
  const texts = words.decide.approve;
  const notReady = typing ? texts.typeFirst : arming ? words.decide.soon : undefined;
  const budget = deciding.panel === "budget" ? enteredBudget : undefined;
  const entered = budget && grantOfDraft(budget);
  const blocked = deciding.blockedApproval ?? entered?.problem ?? notReady;
  const approve = () => deciding.approve(entered?.grant ?? grant?.grant);
  // Pressing the key twice must not approve a call that was not fully reviewed.
  useCommands({
    approve:
      blocked || budget || editing.on || confirmation === "type" || left.length > 0 ? undefined : approve,
  });
  const firstOf = (wanted: boolean) => (element: HTMLElement | null) => {
    if (wanted) first.current = element;
  };
  return (
    <form
      className="cs-panel"
      aria-label={texts.title}
      onKeyDown={ignoreHeldEnter}
      onSubmit={(event) => {
        event.preventDefault();
        if (!blocked) approve();
      }}
    >
      <p className="cs-panel-sentence">
        <Sentence approval={approval} />
      </p>
      {grant && (
        <p className="cs-panel-grant">
          <SafeText text={suggestedGrantText(approval, grant)} />
          <small>{texts.revocable}</small>
        </p>
      )}
      {budget && (
        <BudgetFields
          approval={approval}
          draft={budget}
          onChange={enterBudget}
          first={firstOf(left.length === 0)}
        />
      )}
      {left.length > 0 && (
        <div className="cs-panel-unreviewed">
          <p id={listId}>{texts.unreviewed}</p>
          <ul aria-labelledby={listId}>
            {left.map((text) => (
              <li key={text}>
                <Icon name="eye" />
                {text}
              </li>
            ))}
          </ul>
          <Button ref={firstOf(true)} onClick={onShowUnreviewed}>
            {words.decide.show}
          </Button>
        </div>
      )}
      {confirmation === "type" && (
        <label className="cs-panel-word" htmlFor={inputId}>
          <span>
            <FilledText text={texts.type} parts={{ text: <code className="cs-mono">{wanted.text}</code> }} />
          </span>
          <input
            ref={firstOf(left.length === 0 && !budget)}
            id={inputId}
            className="cs-input"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
      <div className="cs-decision-buttons">
        <Button tone="quiet" command="cancel" onClick={() => deciding.setPanel("none")}>
          {words.common.cancel}
        </Button>
        <span className="cs-spacer" />
        <Button
          type="submit"
          ref={firstOf(confirmation !== "type" && left.length === 0 && !budget)}
          tone={left.length > 0 ? "plain" : "primary"}
          command={notReady || left.length > 0 ? undefined : "approveNow"}
          arming={arming ? armingMs : undefined}
          blocked={blocked}
          aria-busy={deciding.sending}
        >
          {notReady === words.decide.soon
            ? texts.holdOn
            : left.length > 0
              ? texts.anyway
              : grant
                ? texts.andAllow(grantTime(grant))
                : budget
                  ? texts.withBudget
                  : approveLabel(approval, editing.changes.length)}
        </Button>
      </div>
    </form>
  );
}
