import { inQuotes } from "@countersign/policy/display";
import { ApprovalsApiError } from "countersign/client";
import { useRef, useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { FilledText } from "../components/filled-text.js";
import { SafeText } from "../components/safe-text.js";
import type { Review } from "../data/approvals/use-review.js";
import { useCommands } from "../keyboard/use-commands.js";
import { useKeptFocus } from "../keyboard/use-kept-focus.js";
import { confirmationOf } from "../logic/decisions/approve-action.js";
import { isReviewed } from "../logic/review/unreviewed.js";
import { undoErrorMessage } from "../logic/wording/error-message.js";
import { StopNote } from "../stops/stop-note.js";
import { Changes } from "../values/argument-changes.js";
import { words } from "../words/words.js";
import { ApprovePanel } from "./approve-panel.js";
import { DecisionButtons } from "./decision-buttons.js";
import { DecisionStatus } from "./decision-status.js";
import { DeclinePanel } from "./decline-panel.js";
import { DenyPanel } from "./deny-panel.js";
import { UndoPanel } from "./undo-panel.js";
import { UnreviewedNote, unreviewedNoteId } from "./unreviewed-note.js";
import type { Deciding, Panel } from "./use-decision.js";
import type { Editing } from "./use-editing.js";
import { useFocusBack } from "./use-focus-back.js";
import { useUndo } from "./use-undo.js";

/** What the reader had begun to type when somebody else decided. */
function UnsentReason({ reason }: { reason: string }) {
  const text = reason.trim();
  if (text === "") return null;
  return (
    <p className="cs-unsent">
      <span>
        <FilledText
          text={words.decide.deny.unsent}
          parts={{ reason: <SafeText text={inQuotes(text, words.display)} /> }}
        />
      </span>
      <Button tone="quiet" onClick={() => void navigator.clipboard.writeText(text)}>
        {words.decide.copy}
      </Button>
    </p>
  );
}

/** Whether a panel has anything left to decide. */
function isPossible(panel: Panel, can: Deciding["can"]): boolean {
  if (panel === "approve" || panel === "grant" || panel === "budget") return can.approve;
  if (panel === "deny" || panel === "decline" || panel === "answer") return can[panel];
  return panel === "undo";
}

interface DecisionBarProps {
  approval: Approval;
  editing: Editing;
  deciding: Deciding;
  /** What the reader has reviewed. Anything left requires a confirmation. */
  review: Review;
  onShowUnreviewed: () => void;
}

/** The bar below an approval with its decision buttons, or with the decision. It stays in view. */
export function DecisionBar({ approval, editing, deciding, review, onShowUnreviewed }: DecisionBarProps) {
  const { panel, setPanel, can } = deciding;
  const { unreviewed } = review;
  const undoing = useUndo(approval);
  const bar = useRef<HTMLElement>(null);
  /** How long the button still had to fill when a key came too early, in milliseconds. */
  const [early, setEarly] = useState<number>();
  const close = () => setPanel("none");
  const startApproving = () => {
    if (deciding.blockedApproval) return;
    if (confirmationOf(approval) === "key" && isReviewed(unreviewed)) deciding.approve();
    else setPanel("approve");
  };
  const startByKey = () => {
    if (review.ready) startApproving();
    else if (!deciding.blockedApproval) setEarly((before) => before ?? review.timeLeft());
  };
  const openUndo = undoing.possible && panel !== "undo" ? () => setPanel("undo") : undefined;
  const closeUndo = () => {
    undoing.forget();
    close();
  };
  useFocusBack(bar, isPossible(panel, can) ? panel : "none");
  // The button that shows what was not reviewed goes as soon as all was in view, also while the reader is on it.
  useKeptFocus(bar, String(isReviewed(unreviewed)));
  const approveKey = can.approve && panel === "none" ? startByKey : undefined;
  useCommands({
    approve: editing.on ? undefined : approveKey,
    approveChanges: editing.on ? approveKey : undefined,
    deny: can.deny && panel !== "deny" ? () => setPanel("deny") : undefined,
    undo: openUndo,
    cancel: panel === "undo" ? closeUndo : panel !== "none" ? close : editing.on ? editing.toggle : undefined,
  });
  const pending = approval.status === "pending";
  // Someone else decided first, or the approval expired: the status below says so.
  const decidedElsewhere = !pending && deciding.error instanceof ApprovalsApiError;
  const unsent = !pending && editing.changes.length > 0;
  return (
    <footer ref={bar} tabIndex={-1} className="cs-decision-bar" data-panel={panel}>
      <div className="cs-decision-scroll">
        {deciding.error && !decidedElsewhere && (
          <ErrorNotice
            error={deciding.error}
            onRetry={pending && !deciding.blocked ? deciding.retry : undefined}
          />
        )}
        {undoing.error && <ErrorNotice error={undoing.error} message={undoErrorMessage} />}
        <StopNote approval={approval} />
        <DecisionStatus approval={approval} voted={deciding.voted} undoing={undoing} onUndo={openUndo} />
        {!pending && <UnsentReason reason={deciding.draft.denyReason} />}
        {editing.changes.length > 0 && (
          <div className="cs-edit-summary">
            {unsent && <p className="cs-hint">{words.decide.status.changesNotApplied}</p>}
            <Changes
              before={approval.input}
              after={editing.input}
              units={approval.units}
              names={approval.names}
            />
            {editing.problems[""] && <p className="cs-problem">{editing.problems[""]}</p>}
          </div>
        )}
        {(panel === "approve" || panel === "grant" || panel === "budget") && can.approve && (
          <ApprovePanel
            approval={approval}
            editing={editing}
            deciding={deciding}
            review={review}
            onShowUnreviewed={onShowUnreviewed}
          />
        )}
        {panel === "deny" && can.deny && <DenyPanel deciding={deciding} />}
        {panel === "decline" && can.decline && <DeclinePanel deciding={deciding} />}
        {panel === "undo" && (
          <UndoPanel approval={approval} undoing={undoing} review={review} onClose={closeUndo} />
        )}
        {panel === "none" && can.approve && (
          <UnreviewedNote id={unreviewedNoteId(approval)} unreviewed={unreviewed} onShow={onShowUnreviewed} />
        )}
      </div>
      {(panel === "none" || panel === "answer") && (
        <DecisionButtons
          approval={approval}
          editing={editing}
          deciding={deciding}
          settled={review.settled}
          filling={review.ready ? undefined : early}
          wasEarly={early !== undefined}
          onApprove={startApproving}
          onApproveByKey={startByKey}
        />
      )}
    </footer>
  );
}
