import { type Hiding, redact } from "../redaction/redact.js";
import { amountAt } from "../shared/amount-at.js";

/** How much the calls that a grant covers may spend together until it ends. */
export interface GrantBudget {
  /** Path of the argument with a call's amount, such as `amount` or `order.total`. */
  amount: string;
  /** Maximum of all calls together. */
  total: number;
  /** Maximum of one call; `null` if only the total limits it. */
  each: number | null;
  /** For display only, such as `EUR`. */
  unit: string | null;
}

/** Why a call was asked although a grant covers it: it does not fit into the grant's budget. */
export interface OverBudget extends Pick<GrantBudget, "total" | "each" | "unit"> {
  grantId: string;
  /** What the grant's calls had spent, or were about to spend, when the call was proposed. */
  used: number;
  /** The amount of this call. */
  amount: number;
}

/**
 * What a call spends of a budget; `undefined` if it has no amount, or one that its rules hide. Everyone who sees the grant
 * would learn the sum of hidden amounts.
 */
export function amountOf(
  { inputJson, terms }: { inputJson: string; terms: Hiding },
  { amount }: GrantBudget,
): number | undefined {
  return amountAt(redact(JSON.parse(inputJson), terms), amount);
}
