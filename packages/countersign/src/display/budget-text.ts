import { numberText } from "./number-text.js";
import { quotedValue } from "./summary-part.js";
import { visibleText } from "./visible-text.js";

/** The budget of a grant, and how much of it is used. */
export interface BudgetLike {
  /** Maximum of all calls together. */
  total: number;
  used: number;
  /** Maximum of one call; `null` if only the total limits it. */
  each: number | null;
  /** Such as `EUR`. */
  unit: string | null;
}

const maxUnit = 20;

/** How much of a budget is used: "1,340 of 2,000 EUR used, at most 100 EUR each". */
export function budgetText({ total, used, each, unit }: BudgetLike): string {
  const most = each === null ? "" : `, at most ${money(each, unit)} each`;
  return `${money(used)} of ${money(total, unit)} used${most}`;
}

/**
 * Why people are asked about a call that does not fit into the budget of a grant, as a sentence.
 *
 * @example
 * ```ts
 * import { overBudgetText } from "countersign/display";
 *
 * const budget = { total: 2000, used: 1340, each: null, unit: "EUR" };
 * export const why = overBudgetText({ ...budget, amount: 800 });
 * // A grant covers such calls, but 1,340 of 2,000 EUR are used, and this call asks for 800 EUR.
 * ```
 */
export function overBudgetText({ total, used, each, unit, amount }: BudgetLike & { amount: number }): string {
  const limit =
    each !== null && amount > each
      ? `at most ${money(each, unit)} each`
      : `${money(used)} of ${money(total, unit)} are used`;
  return `A grant covers such calls, but ${limit}, and this call asks for ${money(amount, unit)}.`;
}

function money(amount: number, unit: string | null = null): string {
  const number = numberText("amount", amount);
  return unit === null ? number : `${number} ${quotedValue(visibleText(unit, maxUnit))}`;
}
