import type { Approval, GrantSuggestion } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { unitAt } from "../arguments/argument-fields.js";
import { exampleNumber, parseNumber } from "../arguments/parse-number.js";
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
  const { scopes } = words.values.budget;
  const labels: Record<Scope, string | null> = {
    thread: threadId === null ? null : scopes.thread,
    user: requesterId === null ? null : scopes.user(requesterId),
    team: scopes.team,
  };
  return grantable.flatMap((scope) => {
    const label = labels[scope];
    return label === null ? [] : [{ scope, label }];
  });
}

/** The draft with which the form opens; `undefined` if no budget can be given with this call. */
export function newBudgetDraft(approval: Approval): BudgetDraft | undefined {
  const [amount, ...others] = amountFields(approval);
  const [first] = budgetScopes(approval);
  if (amount === undefined || !first || approval.grantSuggestions.length === 0) return undefined;
  // With several amounts, people choose one, and its unit may be another.
  const unit = (others.length === 0 && unitAt(approval.units, amount.split("."))) || "";
  return { amount, total: "", each: "", unit, expiresIn: "7d", scope: first.scope };
}

/** The grant that a draft asks for, or what is missing. */
export function grantOfDraft(
  draft: BudgetDraft,
): { grant: GrantSuggestion["grant"]; problem?: never } | { grant?: never; problem: string } {
  const total = amountIn(draft.total);
  const each = draft.each.trim() === "" ? undefined : amountIn(draft.each);
  const { enterTotal, enterAmounts, eachTooLarge } = words.values.budget;
  if (total === undefined) return { problem: enterTotal("2000") };
  if (each === null || total === null) return { problem: enterAmounts("2000", exampleNumber(99.5)) };
  if (each !== undefined && each > total) return { problem: eachTooLarge };
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

/** `undefined` without a text, `null` if it is no amount. */
function amountIn(text: string): number | null | undefined {
  if (text.trim() === "") return undefined;
  const { value = 0 } = parseNumber(text);
  return value > 0 ? value : null;
}
