import type { AuditType } from "@countersign/policy/internal/display/audit-types";
import { eq, type SQL, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { amountOf, type GrantBudget, type OverBudget } from "../../approval/budget.js";
import type { Session } from "../database.js";
import { approvals, auditEntries, grants } from "../schema.js";
import { sumIsWithin } from "./exact-sum.js";

/**
 * Why a new call does not fit into a grant's budget; `undefined` if it does. What the grant's calls have spent counts,
 * and what those will spend that have not started. The database adds, because sums of JavaScript's numbers are not exact.
 *
 * @param here The amounts of the request's earlier calls.
 * @param byLog Also count what the log says, whatever the rows say.
 */
export async function overBudgetOf(
  session: Session,
  { id: grantId, budget }: { id: string; budget: GrantBudget },
  amount: number,
  { requestId, here, byLog }: { requestId: string; here: readonly number[]; byLog: boolean },
): Promise<OverBudget | undefined> {
  const { db } = session;
  const before = budgetUsed({ requestId });
  const used = sql`(${[byLog ? sql`greatest(${before}, ${usedByLog})` : before, ...here.map(exact)].reduce(plus)})`;
  // One statement, so that a call which starts meanwhile counts once. Other proposals wait for their turn.
  const [found] = await db
    .select({
      used: sql`${used}`.mapWith(Number),
      fits: sql<boolean>`${used} + ${exact(amount)} <= ${total}`,
    })
    .from(grants)
    .where(eq(grants.id, grantId));
  const { each, unit } = budget;
  if (found?.fits && (each === null || amount <= each)) return undefined;
  return { grantId, total: budget.total, used: found?.used ?? 0, each, unit, amount };
}

function plus(sum: SQL, amount: SQL): SQL {
  return sql`${sum} + ${amount}`;
}

/** What a call takes from its grant's budget, if there is one. */
export function spendingOf(
  { budget }: { budget: GrantBudget | null },
  spent: string,
  call: Pick<Approval, "inputJson" | "terms">,
): { spend: string; total: string } | "too much" | undefined {
  if (!budget) return undefined;
  const amount = amountOf(call, budget);
  if (amount === undefined || amount > (budget.each ?? budget.total)) return "too much";
  const [spend, total] = [String(amount), String(budget.total)];
  return sumIsWithin([spent, spend], total) ? { spend, total } : "too much";
}

/** As JavaScript and JSON write it. A parameter of type number would lose its decimals. */
function exact(amount: number): SQL {
  return sql`${String(amount)}::numeric`;
}

// Drizzle would write columns without their tables here.
const total = sql`(${grants}.budget ->> 'total')::numeric`;

/** What the calls of a grant have spent, and what those will spend that it has approved and that have not started. */
export function budgetUsed(exceptOf?: { requestId: string }): SQL {
  return sql`(${grants}.spent + coalesce((
    select sum(call.grant_amount) from ${approvals} call
    where call.tenant_id = ${grants}.tenant_id and call.grant_id = ${grants}.id
      and call.grant_amount is not null and call.status = 'approved'
      ${exceptOf && sql`and call.request_id <> ${exceptOf.requestId}`}
  ), 0))`;
}

/**
 * The same by the log, as of the last commit: the amounts of all calls that the grant approved, without those that ended
 * before they started. Somebody with write access can add entries. But an end that is added to a call that has started
 * changes nothing, and one that is added to another call keeps it from starting.
 */
const usedByLog = sql`(
  select coalesce(sum(greatest((entry.data ->> 'amount')::numeric, 0)), 0) from ${auditEntries} entry
  where entry.tenant_id = ${grants}.tenant_id and entry.type = 'approval.granted'
    and (entry.data ->> 'grantId') = ${grants}.id
    and (${hasLater("approval.executing")} or not ${hasLater("approval.withdrawn", "approval.expired")})
)`;

function hasLater(...types: readonly AuditType[]): SQL {
  return sql`exists (
    select from ${auditEntries} later
    where later.tenant_id = entry.tenant_id and later.approval_id = entry.approval_id
      and later.type in (${sql.raw(types.map((type) => `'${type}'`).join(", "))}))`;
}
