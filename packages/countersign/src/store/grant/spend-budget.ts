import { sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { amountOf, type GrantBudget, type OverBudget } from "../../approval/budget.js";
import type { Taking } from "../changes.js";
import { grants } from "../schema.js";
import { exactSum, sumIsWithin } from "./exact-sum.js";

/**
 * Why a new call does not fit into a grant's budget; `undefined` if it does.
 *
 * @param used What the grant's calls have spent, and what those will spend that have not started, as decimal texts.
 */
export function overBudgetOf(
  { id: grantId, budget }: { id: string; budget: GrantBudget },
  amount: number,
  used: readonly string[],
): OverBudget | undefined {
  const { each, unit, total } = budget;
  const fits = sumIsWithin([...used, String(amount)], String(total));
  if (fits && (each === null || amount <= each)) return undefined;
  return { grantId, total, used: Number(exactSum(used)), each, unit, amount };
}

/** What new calls will take from a budget together, provided that they still fit when they are written. */
export function reservationOf(
  { total }: GrantBudget,
  amounts: readonly string[],
  byLog: boolean,
): Pick<Taking, "reserve" | "total" | "byLog"> {
  return { reserve: exactSum(amounts), total: String(total), byLog };
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

/** What the calls of a grant have spent, and what those will spend that it has approved and that have not started. */
export const budgetUsed = sql`countersign.budget_used(${grants.id}, false)`;
