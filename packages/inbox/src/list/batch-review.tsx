import { Link } from "wouter";
import type { Approval } from "../api/approval.js";
import type { Reviewing } from "../data/approvals/use-review.js";
import { type BulkObstacle, obstacleText } from "../logic/decisions/bulk-rules.js";
import { isReadableRow } from "../logic/lists/readable-row.js";
import { unreviewedText } from "../logic/review/unreviewed.js";
import { sentenceOf } from "../logic/wording/sentence.js";
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
  if (outcome) return <small data-outcome={outcome.ok ? "ok" : "failed"}>{outcome.text}</small>;
  return (
    <>
      {isSeen && obstacle === undefined && <small>{words.batch.review.seen}</small>}
      {/* Also for a row that is wider than the window, and so is never wholly on the screen. */}
      <Link
        href={`/approvals/${id}`}
        tabIndex={-1}
        aria-label={
          isSeen && obstacle === undefined ? words.batch.review.open(sentenceOf(approval)) : undefined
        }
        onClick={(event) => {
          event.preventDefault();
          controls.onOpen(id);
        }}
      >
        {isSeen && obstacle === undefined
          ? words.batch.review.openShort
          : reviewText(approval, obstacle, reviewing)}
      </Link>
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
