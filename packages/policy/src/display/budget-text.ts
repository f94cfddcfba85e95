import type { DisplayWords } from "./display-words.js";
import { englishDisplay } from "./english.js";
import { numberText } from "./number-text.js";
import { withUnit } from "./unit-text.js";

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

/** How much of a budget is used: "1,340 of 2,000 EUR used, at most 100 EUR each". */
export function budgetText({ total, used, each, unit }: BudgetLike, words = englishDisplay): string {
  const { budgets } = words;
  const spent = [money(words, used), money(words, total, unit)] as const;
  return each === null ? budgets.used(...spent) : budgets.usedWithMaximum(...spent, money(words, each, unit));
}

/**
 * Why people are asked about a call that does not fit into the budget of a grant, as a sentence.
 *
 * @example
 * ```ts
 * import { overBudgetText } from "@countersign/policy/display";
 *
 * const budget = { total: 2000, used: 1340, each: null, unit: "EUR" };
 * export const why = overBudgetText({ ...budget, amount: 800 });
 * // A standing permission covers this kind, but 1,340 of 2,000 EUR are used, and this one asks for 800 EUR.
 * ```
 */
export function overBudgetText(
  { total, used, each, unit, amount }: BudgetLike & { amount: number },
  words = englishDisplay,
): string {
  const { budgets } = words;
  const asked = money(words, amount, unit);
  return each !== null && amount > each
    ? budgets.overEach(money(words, each, unit), asked)
    : budgets.overTotal(money(words, used), money(words, total, unit), asked);
}

function money(words: DisplayWords, amount: number, unit: string | null = null): string {
  return withUnit(numberText("amount", amount, words.numbers), unit, words);
}
