import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { type BulkObstacle, bulkPlan } from "../decisions/bulk-rules.js";
import type { Reviewed } from "../review/reviewed.js";
import { batchesOf } from "./batch.js";
import { totalText } from "./batch-total.js";

/** What the reader wants for a call of the table. */
export type Choice = "approve" | "deny" | "leave";

/** What would be decided now. */
export interface BatchPlan {
  /** Why calls cannot be approved together with others. */
  obstacles: ReadonlyMap<string, BulkObstacle>;
  toApprove: Approval[];
  toDeny: Approval[];
}

/** What is decided if the reader decides now. `changed`: the calls for which the reader has typed changes. */
export function batchPlan(
  approvals: readonly Approval[],
  reviewed: ReadonlyMap<string, Reviewed>,
  choices: ReadonlyMap<string, Choice>,
  changed: ReadonlySet<string>,
): BatchPlan {
  const { approvable, deniable, obstacles } = bulkPlan(approvals, reviewed, changed);
  return {
    obstacles,
    toApprove: approvable.filter(({ id }) => choices.get(id) === "approve"),
    toDeny: deniable.filter(({ id }) => choices.get(id) === "deny"),
  };
}

/** The obstacles that are gone once a call was read. */
const unreadObstacles: ReadonlySet<BulkObstacle> = new Set(["not_opened", "unreviewed", "too_brief"]);

/** Whether a call could be approved if the reader had read it. */
export function isUnread({ obstacles }: Pick<BatchPlan, "obstacles">, id: string): boolean {
  return unreadObstacles.has(obstacles.get(id) ?? "closed");
}

/** Whether a call is still open to the reader's approval, perhaps once they have read it. */
export function mayBeApproved(plan: Pick<BatchPlan, "obstacles">, id: string): boolean {
  return !plan.obstacles.has(id) || isUnread(plan, id);
}

/** Whether an approval of the call decides it. Otherwise it is a vote, and others must approve too. */
function isDecidedByOne({ stillNeeded }: Approval): boolean {
  return stillNeeded.approvals <= 1;
}

/** The label of the button that decides, such as "Approve 8 · 225 EUR, vote for 2 and deny 1"; empty if nothing would be decided. */
export function planLabel({ toApprove, toDeny }: BatchPlan): string {
  return words.batch.decide({
    ...approvedOf(
      toApprove.filter(isDecidedByOne),
      toApprove.filter((approval) => !isDecidedByOne(approval)),
    ),
    denied: toDeny.length,
  });
}

/** What was decided together, such as "8 approved · 225 EUR, 2 votes, 1 denied". */
export function decidedTogether(approvals: readonly Approval[]): string {
  const isDenied = ({ held, status }: Approval) => held?.type === "deny" || status === "denied";
  const isVote = ({ held, status }: Approval) => held === null && status === "pending";
  const approved = approvals.filter((each) => !isDenied(each) && !isVote(each));
  return words.batch.decided({
    ...approvedOf(approved, approvals.filter(isVote)),
    denied: approvals.filter(isDenied).length,
  });
}

/** Counts, with what the approved ones come to if they are of one tool. */
function approvedOf(approved: readonly Approval[], votes: readonly Approval[]) {
  const [batch, ...others] = batchesOf(approved);
  const total =
    batch && others.length === 0 ? totalText(batch, new Set(approved.map(({ id }) => id))) : undefined;
  return { approved: approved.length, votes: votes.length, total };
}
