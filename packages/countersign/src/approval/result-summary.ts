import { renderResultSummary, type Summary } from "@countersign/policy/internal/policy/summary";
import { withNumbers } from "@countersign/policy/internal/policy/summary-numbers";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { Approval } from "./approval.js";
import type { ShownArguments } from "./visible-arguments.js";

/**
 * The sentence about the result of a call that has run, from what an audience may see of the arguments that ran and of the
 * result; `null` if its rule has no template, or if the call has not run to its end.
 */
export function resultSummaryOf(
  { status, terms: { resultSummary } }: Pick<Approval, "status" | "terms">,
  { input, editedInput, outcome }: Pick<ShownArguments, "input" | "editedInput" | "outcome">,
): Summary | null {
  if (resultSummary === null || status !== "executed") return null;
  // An outcome that takes too much work to search is hidden as a whole.
  const result = isPlainObject(outcome) ? outcome.data : outcome;
  const ran = editedInput ?? input;
  const { text, parts } = renderResultSummary(resultSummary, ran, result);
  const values = () => ({ ...(isPlainObject(ran) && ran), result });
  return { text, parts: withNumbers(parts, values) };
}
