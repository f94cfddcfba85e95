import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import type { Reviewed } from "../review/reviewed.js";
import { isReviewed, unreviewedOf, unreviewedText } from "../review/unreviewed.js";
import { hasNoPreview } from "./approve-action.js";

/** Why an approval cannot be approved together with others. */
export type BulkObstacle =
  | "not_opened"
  | "unreviewed"
  | "too_brief"
  | "changed"
  | "critical"
  | "check_failed"
  | "no_preview"
  | "not_yours"
  | "closed"
  | "not_offered"
  | "stopped";

export interface BulkPlan {
  approvable: Approval[];
  deniable: Approval[];
  obstacles: Map<string, BulkObstacle>;
  /** How many the reader has opened for long enough to read them. */
  opened: number;
}

/** The obstacle as text. */
export function obstacleText(obstacle: BulkObstacle, approval: Approval, reviewed?: Reviewed): string {
  if (obstacle === "unreviewed")
    return words.decide.reviewAgain(unreviewedText(unreviewedOf(approval, reviewed)).join(" · "));
  const by = (approval.held ?? approval.decision)?.decidedBy;
  return obstacle === "closed" && by ? words.decide.decidedThis(by) : words.decide.obstacle[obstacle];
}

/**
 * Which of the selected approvals can be decided together. An approval that the reader can decide can be denied. It can
 * be approved only if the reader opened it with its current arguments, reviewed all of them and had the time to read them,
 * it is not critical, neither a safety check nor its preview failed, and it is not among the `changed`, for which the reader has
 * typed changes that are not sent.
 */
export function bulkPlan(
  selected: readonly Approval[],
  reviewed: ReadonlyMap<string, Reviewed>,
  changed: ReadonlySet<string> = new Set(),
): BulkPlan {
  const obstacles = new Map<string, BulkObstacle>();
  for (const approval of selected) {
    const obstacle = obstacleTo(approval, reviewed.get(approval.id), changed.has(approval.id));
    if (obstacle) obstacles.set(approval.id, obstacle);
  }
  const deniable = selected.filter(
    (approval) =>
      approval.status === "pending" && approval.mayDecide && approval.yourDecisions.includes("deny"),
  );
  return {
    approvable: selected.filter(({ id }) => !obstacles.has(id)),
    deniable,
    obstacles,
    opened: selected.filter(({ id, digest }) => {
      const found = reviewed.get(id);
      return found?.digest === digest && found.seen;
    }).length,
  };
}

function obstacleTo(
  approval: Approval,
  reviewed: Reviewed | undefined,
  isChanged: boolean,
): BulkObstacle | undefined {
  if (approval.status !== "pending" || approval.held) return "closed";
  if (!approval.mayDecide) return "not_yours";
  if (!approval.decisions.includes("approve")) return "not_offered";
  if (approval.valuesOmitted) return "not_opened";
  if (!approval.yourDecisions.includes("approve")) return "not_yours";
  if (approval.stop) return "stopped";
  if (approval.risk === "critical") return "critical";
  if (approval.checks.some(({ ok }) => !ok)) return "check_failed";
  if (hasNoPreview(approval)) return "no_preview";
  if (isChanged) return "changed";
  if (reviewed?.digest !== approval.digest) return "not_opened";
  if (!isReviewed(unreviewedOf(approval, reviewed))) return "unreviewed";
  return reviewed.seen ? undefined : "too_brief";
}
