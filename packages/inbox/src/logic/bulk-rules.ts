import type { Approval } from "../api/approval.js";

/** Why one of several cannot be approved together with the others. */
export type BulkObstacle = "not_opened" | "too_weighty" | "not_yours" | "closed" | "not_offered";

export interface BulkPlan {
  approvable: Approval[];
  deniable: Approval[];
  obstacles: Map<string, BulkObstacle>;
  opened: number;
}

/** The obstacle as people read it. */
export function obstacleWords(obstacle: BulkObstacle, { decision }: Approval): string {
  const by = decision?.decidedBy;
  return obstacle === "closed" && by ? `${by} decided this already` : words[obstacle];
}

const words: Record<BulkObstacle, string> = {
  not_opened: "Open it first",
  too_weighty: "Critical: approve it by itself",
  not_yours: "Somebody else has to decide",
  closed: "No longer waiting",
  not_offered: "Its rule offers no approval",
};

/**
 * What can be done to several at once: denied, if the caller may decide; approved, only if they have also opened it
 * with the arguments that it has now, and it is not so weighty that it needs typing.
 */
export function bulkPlan(
  selected: readonly Approval[],
  openedDigests: ReadonlyMap<string, string>,
): BulkPlan {
  const obstacles = new Map<string, BulkObstacle>();
  for (const approval of selected) {
    const obstacle = obstacleTo(approval, openedDigests.get(approval.id) === approval.digest);
    if (obstacle) obstacles.set(approval.id, obstacle);
  }
  const deniable = selected.filter(
    (approval) =>
      approval.status === "pending" &&
      approval.mayDecide !== false &&
      (approval.yourDecisions ?? approval.decisions).includes("deny"),
  );
  return {
    approvable: selected.filter(({ id }) => !obstacles.has(id)),
    deniable,
    obstacles,
    opened: selected.filter(({ id, digest }) => openedDigests.get(id) === digest).length,
  };
}

function obstacleTo(approval: Approval, opened: boolean): BulkObstacle | undefined {
  if (approval.status !== "pending") return "closed";
  if (approval.mayDecide === false) return "not_yours";
  if (!approval.decisions.includes("approve")) return "not_offered";
  if (approval.yourDecisions?.includes("approve") === false) return "not_yours";
  if (approval.risk === "critical") return "too_weighty";
  return opened ? undefined : "not_opened";
}
