import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { type BulkObstacle, bulkPlan } from "../decisions/bulk-rules.js";
import type { Reviewed } from "../review/reviewed.js";
import type { Batch } from "./batch.js";
import { isFine, type RowEdit } from "./batch-edits.js";
import { totalText } from "./batch-total.js";

/** What the reader wants for a call of the table. */
export type Choice = "approve" | "deny" | "leave";

/** An approval with other arguments. */
export interface EditedCall {
  approval: Approval;
  input: unknown;
  /** The number of changed arguments. */
  changes: number;
}

/** What would be decided now. */
export interface BatchPlan {
  /** Why calls cannot be approved together with others. */
  obstacles: ReadonlyMap<string, BulkObstacle>;
  toApprove: Approval[];
  toEdit: EditedCall[];
  toDeny: Approval[];
  /** Whether the server is checking an edit that would be approved. */
  isChecking: boolean;
}

interface Wishes {
  approvals: readonly Approval[];
  reviewed: ReadonlyMap<string, Reviewed>;
  choices: ReadonlyMap<string, Choice>;
  edits: ReadonlyMap<string, RowEdit>;
}

/**
 * What is decided if the reader decides now. A call whose edit is wrong is left out; the others are decided without it. Editing a
 * call does not replace its review.
 */
export function batchPlan({ approvals, reviewed, choices, edits }: Wishes): BatchPlan {
  const { approvable, deniable, obstacles } = bulkPlan(approvals, reviewed);
  const wanted = approvable.filter(({ id }) => choices.get(id) === "approve");
  const edited = wanted.flatMap((approval) => {
    const edit = edits.get(approval.id);
    return edit ? [{ approval, edit }] : [];
  });
  return {
    obstacles,
    toApprove: wanted.filter(({ id }) => !edits.has(id)),
    toEdit: edited
      .filter(({ edit }) => isFine(edit))
      .map(({ approval, edit: { input, changes } }) => ({ approval, input, changes })),
    toDeny: deniable.filter(({ id }) => choices.get(id) === "deny"),
    isChecking: edited.some(({ edit }) => edit.isChecking),
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

/**
 * The label of the button that decides, such as "Approve 8 · 225 EUR · 1 changed, vote for 2 and deny 1"; empty if nothing would
 * be decided.
 */
export function planLabel({ toApprove, toEdit, toDeny }: BatchPlan, batches: readonly Batch[]): string {
  // An edit decides alone.
  const votes = toApprove.filter((approval) => !isDecidedByOne(approval));
  const ids = [...toApprove.filter(isDecidedByOne), ...toEdit.map(({ approval }) => approval)].map(
    ({ id }) => id,
  );
  const [batch, ...others] = batches;
  const total = batch && others.length === 0 && ids.length > 0 ? totalText(batch, new Set(ids)) : undefined;
  return words.batch.decide({
    approved: ids.length,
    votes: votes.length,
    total,
    changed: toEdit.length,
    denied: toDeny.length,
  });
}
