import { type Hiding, redact } from "@countersign/policy/internal/redaction/redact";
import { amountAt } from "@countersign/policy/internal/shared/amount-at";

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

/** What a call spends of a budget; `undefined` if it has no amount, or one that its rules hide. */
export function amountOf(call: Spending, budget: GrantBudget): number | undefined {
  return amountsOf(call)(budget);
}

/**
 * The same for many budgets. Hidden amounts count as none: everyone who sees the grant would learn their sum. Hidden
 * values are searched once, however many budgets there are.
 */
export function amountsOf({ inputJson, terms }: Spending): (budget: GrantBudget) => number | undefined {
  let visible: { input: unknown } | undefined;
  return ({ amount }) => {
    visible ??= { input: redact(JSON.parse(inputJson), terms) };
    return amountAt(visible.input, amount);
  };
}

interface Spending {
  inputJson: string;
  terms: Hiding;
}
