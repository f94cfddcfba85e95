import { useState } from "react";
import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import type { Reviewing } from "../data/approvals/use-review.js";
import { useTakeBack } from "../data/approvals/use-take-back.js";
import { type BulkObstacle, obstacleText } from "../logic/decisions/bulk-rules.js";
import { isUndecided } from "../logic/decisions/hold.js";
import { isFine, problemText } from "../logic/lists/batch-edits.js";
import { isReadableRow } from "../logic/lists/readable-row.js";
import { unreviewedText } from "../logic/review/unreviewed.js";
import { words } from "../words/words.js";
import type { BatchControls } from "./batch-controls.js";

interface BatchReviewProps {
  approval: Approval;
  controls: BatchControls;
  reviewing: Reviewing;
  /** Whether all of the call was read. */
  isSeen: boolean;
}

/** Whether a call of the table was read and can be approved, or what became of it. */
export function BatchReview({ approval, controls, reviewing, isSeen }: BatchReviewProps) {
  const { id } = approval;
  const outcome = controls.outcomes?.get(id);
  const obstacle = controls.obstacles.get(id);
  const edit = controls.edits.get(id);
  if (outcome) return <Outcome approval={approval} outcome={outcome} />;
  return (
    <>
      {isSeen && obstacle === undefined ? (
        <small>{words.batch.review.seen}</small>
      ) : (
        // Also for a row that is wider than the window, and so is never wholly on the screen.
        <Link href={`/approvals/${id}`} onClick={controls.onOpen}>
          {reviewText(approval, obstacle, reviewing)}
        </Link>
      )}
      {/* Always rendered, so that screen readers announce what the server says. */}
      <small role="status" className={edit && !isFine(edit) ? "cs-problem" : undefined}>
        {edit?.isChecking
          ? words.batch.review.checking
          : edit && !isFine(edit)
            ? words.batch.review.invalid(problemText(edit, approval))
            : ""}
      </small>
    </>
  );
}

/** What is left to do before a call can be approved. */
function reviewText(
  approval: Approval,
  obstacle: BulkObstacle | undefined,
  { reviewed, unreviewed }: Reviewing,
): string {
  if (obstacle !== undefined && obstacle !== "not_opened" && obstacle !== "too_brief")
    return obstacleText(obstacle, approval, reviewed);
  if (isReadableRow(approval, unreviewed)) return words.batch.review.notRead;
  const left = unreviewedText({ ...unreviewed, below: [] });
  const { openFirst, openFirstFor } = words.batch.review;
  return left.length > 0 ? openFirstFor(left.join(" · ")) : openFirst;
}

interface OutcomeProps {
  approval: Approval;
  outcome: { ok: boolean; text: string };
}

function Outcome({ approval, outcome }: OutcomeProps) {
  const takeBack = useTakeBack();
  const [isTaking, setTaking] = useState(false);
  const [isTakenBack, setTakenBack] = useState(false);
  const waits = isTakenBack && isUndecided(approval);
  return (
    <>
      <small data-outcome={outcome.ok ? "ok" : "failed"}>
        {waits ? words.batch.review.waitsAgain : outcome.text}
      </small>
      {approval.held && !isTakenBack && (
        <Button
          tone="quiet"
          blocked={isTaking ? words.batch.review.takingBack : undefined}
          onClick={async () => {
            setTaking(true);
            setTakenBack(await takeBack(approval.id, true));
            setTaking(false);
          }}
        >
          {words.batch.review.takeBack}
        </Button>
      )}
    </>
  );
}
