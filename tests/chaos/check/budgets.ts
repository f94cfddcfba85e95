import type postgres from "postgres";
import { isApproval, type Journal, type Start } from "../journal.js";
import { rowsIfReachable } from "../rows-if-reachable.js";
import { payBudget, tools } from "../scenario/tools.js";
import type { Rows } from "./rows.js";

/** The journal's counter of calls that started under a grant's budget. */
export const budgetsUsed = "calls under a budget that nobody was asked about";

/** Checks that a call that nobody approved starts under a grant that somebody gave, within its budget (I1). */
export async function judgeBudget(sql: postgres.Sql, journal: Journal, start: Start): Promise<void> {
  const { approvalId, input, tool } = start;
  if (tools[tool].gate !== "granted" || approvalId === null) return;
  if (journal.sentFor(approvalId).some(isApproval)) return;
  const [row] = await rowsIfReachable(sql`
    select call.grant_id, given.approval_id from countersign.approvals call
    left join countersign.grants given on given.id = call.grant_id where call.id = ${approvalId}`);
  if (!row) return;
  journal.count(budgetsUsed);
  const isGiven = journal.sentFor(String(row.approval_id)).some(({ move }) => move.gives);
  if (!isGiven) {
    journal.violate({
      name: "ran-undecided",
      invariant: "I1",
      message: `${input.ref} ran under the grant ${row.grant_id}, which nobody has given`,
      approvalId,
      ref: input.ref,
    });
  }
  start.grantId = String(row.grant_id);
  judgeSpent(journal, start.grantId);
}

/** The same for all calls at the end, also for those that started while the database did not answer. */
export function judgeBudgets(journal: Journal, { approvals }: Rows): void {
  const grants = new Map(approvals.map(({ id, grant_id }) => [id, grant_id]));
  for (const start of journal.starts) start.grantId = grants.get(String(start.approvalId)) ?? undefined;
  for (const grantId of new Set(journal.starts.map((start) => start.grantId))) {
    if (grantId !== undefined) judgeSpent(journal, grantId);
  }
}

function judgeSpent(journal: Journal, grantId: string): void {
  const own = journal.starts.filter((start) => start.grantId === grantId);
  const spent = own.reduce((sum, { input }) => sum + input.amount, 0);
  if (spent <= payBudget.total) return;
  journal.violate({
    name: "budget-exceeded",
    invariant: "I1",
    message: `${own.length} calls spent ${spent} under ${grantId}, whose budget is ${payBudget.total}`,
    approvalId: own.at(-1)?.approvalId ?? undefined,
    ref: own.at(-1)?.input.ref,
  });
}
