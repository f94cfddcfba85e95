import { ApiError } from "../api/api-error.js";
import type { Approval } from "../api/approval.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Changes } from "../detail/changes.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { weightOf } from "../logic/action-words.js";
import { ApprovePanel } from "./approve-panel.js";
import { DecisionButtons } from "./decision-buttons.js";
import { DenyPanel } from "./deny-panel.js";
import { StandingNote } from "./standing-note.js";
import type { Deciding } from "./use-decision.js";
import type { Editing } from "./use-editing.js";

interface DecisionBarProps {
  approval: Approval;
  editing: Editing;
  deciding: Deciding;
}

/** The foot of an approval: what can be decided, or what has been. It stays in view and its size changes upwards. */
export function DecisionBar({ approval, editing, deciding }: DecisionBarProps) {
  const { panel, setPanel, can } = deciding;
  const close = () => setPanel("none");
  const startApproving = () => {
    if (deciding.blockedApproval) return;
    if (weightOf(approval) === "key") deciding.approve();
    else setPanel("approve");
  };
  useShortcuts({
    a: can.approve && panel === "none" ? startApproving : undefined,
    d: can.deny && panel !== "deny" ? () => setPanel("deny") : undefined,
    e: editing.possible ? editing.toggle : undefined,
    escape: panel !== "none" ? close : editing.on ? editing.toggle : undefined,
  });
  const pending = approval.status === "pending";
  // Somebody else, or the time, was quicker: the note below says so.
  const overtaken = !pending && deciding.error instanceof ApiError;
  const unsent = !pending && editing.changes.length > 0;
  return (
    <footer className="cs-decision-bar" data-panel={panel}>
      <div className="cs-decision-scroll">
        {deciding.error && !overtaken && (
          <ErrorNotice
            error={deciding.error}
            onRetry={pending && !deciding.blocked ? deciding.retry : undefined}
          />
        )}
        <StandingNote approval={approval} voted={deciding.voted} />
        {editing.changes.length > 0 && (
          <div className="cs-edit-summary">
            {unsent && <p className="cs-hint">Your changes were not used:</p>}
            <Changes before={approval.input} after={editing.input} />
            {editing.problems[""] && <p className="cs-problem">{editing.problems[""]}</p>}
          </div>
        )}
        {(panel === "approve" || panel === "grant") && can.approve && (
          <ApprovePanel approval={approval} editing={editing} deciding={deciding} />
        )}
        {panel === "deny" && can.deny && <DenyPanel deciding={deciding} />}
      </div>
      {(panel === "none" || panel === "answer") && (
        <DecisionButtons
          approval={approval}
          editing={editing}
          deciding={deciding}
          onApprove={startApproving}
        />
      )}
    </footer>
  );
}
