import { useState } from "react";
import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { useTakeBack } from "../data/approvals/use-take-back.js";
import { obstacleText } from "../logic/decisions/bulk-rules.js";
import { isUndecided } from "../logic/decisions/hold.js";
import { isFine, problemText } from "../logic/lists/batch-edits.js";
import type { Reviewed } from "../logic/review/unreviewed.js";
import type { BatchControls } from "./batch-controls.js";

interface BatchReviewProps {
  approval: Approval;
  controls: BatchControls;
  reviewed: Reviewed;
  /** Whether all of the call was read. */
  isSeen: boolean;
}

/** Whether a call of the table was read and can be approved, or what became of it. */
export function BatchReview({ approval, controls, reviewed, isSeen }: BatchReviewProps) {
  const { id } = approval;
  const outcome = controls.outcomes?.get(id);
  const obstacle = controls.obstacles.get(id);
  const edit = controls.edits.get(id);
  if (outcome) return <Outcome approval={approval} outcome={outcome} />;
  return (
    <>
      {isSeen && obstacle === undefined ? (
        <small>Seen</small>
      ) : (
        // Also for a row that is wider than the window, and so is never wholly on the screen.
        <Link href={`/approvals/${id}`} onClick={controls.onOpen}>
          {obstacle === undefined || obstacle === "not_opened" || obstacle === "too_brief"
            ? "Not read yet"
            : obstacleText(obstacle, approval, reviewed)}
        </Link>
      )}
      {/* Always rendered, so that screen readers announce what the server says. */}
      <small role="status" className={edit && !isFine(edit) ? "cs-problem" : undefined}>
        {edit?.isChecking
          ? "Checking your change"
          : edit && !isFine(edit)
            ? `Cannot be approved: ${problemText(edit)}`
            : ""}
      </small>
    </>
  );
}

interface OutcomeProps {
  approval: Approval;
  outcome: { ok: boolean; text: string };
}

function Outcome({ approval, outcome }: OutcomeProps) {
  const takeBack = useTakeBack();
  const [isTakenBack, setTakenBack] = useState(false);
  const waits = isTakenBack && isUndecided(approval);
  return (
    <>
      <small data-outcome={outcome.ok ? "ok" : "failed"}>{waits ? "Waits again" : outcome.text}</small>
      {approval.held && !isTakenBack && (
        <Button
          tone="quiet"
          onClick={() => {
            setTakenBack(true);
            void takeBack(approval.id, true);
          }}
        >
          Take back
        </Button>
      )}
    </>
  );
}
