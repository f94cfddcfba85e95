import type { Approval, GrantSuggestion } from "../../api/approval.js";
import { isRecord } from "../arguments/paths.js";

type Scope = Approval["grantable"][number];

/** What a person enters to let later calls run within a budget. */
export interface BudgetDraft {
  /** The argument with a call's amount. */
  amount: string;
  total: string;
  each: string;
  unit: string;
  expiresIn: string;
  scope: Scope;
}

/** The times for which a budget can be given in the inbox. */
export const budgetTimes = {
  "8h": "for 8 hours",
  "24h": "for a day",
  "7d": "for 7 days",
  "30d": "for 30 days",
} as const;

/** The arguments of which a budget can count the sum: numbers that the reader can see. */
export function amountFields({ input }: Pick<Approval, "input">): string[] {
  if (!isRecord(input)) return [];
  return Object.entries(input).flatMap(([key, value]) =>
    typeof value === "number" && value >= 0 && !key.includes(".") ? [key] : [],
  );
}

/** The scopes that the rule permits and the call has. */
export function budgetScopes({
  grantable,
  threadId,
  requesterId,
}: Approval): { scope: Scope; label: string }[] {
  const labels: Record<Scope, string | null> = {
    thread: threadId === null ? null : "in this conversation",
    user: requesterId === null ? null : `for ${requesterId}`,
    team: "for everyone in the team",
  };
  return grantable.flatMap((scope) => {
    const label = labels[scope];
    return label === null ? [] : [{ scope, label }];
  });
}

/** The draft with which the form opens; `undefined` if no budget can be given with this call. */
export function newBudgetDraft(approval: Approval): BudgetDraft | undefined {
  const [amount] = amountFields(approval);
  const [first] = budgetScopes(approval);
  if (amount === undefined || !first || approval.grantSuggestions.length === 0) return undefined;
  return { amount, total: "", each: "", unit: "", expiresIn: "7d", scope: first.scope };
}

/** The grant that a draft asks for, or what is missing. */
export function grantOfDraft(
  draft: BudgetDraft,
): { grant: GrantSuggestion["grant"]; problem?: never } | { grant?: never; problem: string } {
  const total = amountIn(draft.total);
  const each = draft.each.trim() === "" ? undefined : amountIn(draft.each);
  if (total === undefined) return { problem: "Enter the total as a number, such as 2000" };
  if (each === null || total === null) return { problem: "Enter amounts as numbers, such as 2000 or 99.50" };
  if (each !== undefined && each > total) return { problem: "Enter at most the total for each call" };
  const unit = draft.unit.trim();
  return {
    grant: {
      scope: draft.scope,
      arguments: "any",
      expiresIn: draft.expiresIn,
      budget: {
        amount: draft.amount,
        total,
        ...(each !== undefined && { each }),
        ...(unit !== "" && { unit }),
      },
    },
  };
}

/** `undefined` without a text, `null` if it is no amount. Commas mean thousands to some people and decimals to others. */
function amountIn(text: string): number | null | undefined {
  const bare = text.trim();
  if (bare === "") return undefined;
  const amount = /^\d+(\.\d+)?$/.test(bare) ? Number(bare) : 0;
  return Number.isFinite(amount) && amount > 0 ? amount : null;
}
