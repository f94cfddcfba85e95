import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import { questionSummary, type Summary, summaryWith } from "@countersign/policy/internal/policy/summary";
import { redact } from "@countersign/policy/internal/redaction/redact";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { Approval } from "./approval.js";

/** The sentence about a call. */
export interface CallSummary {
  /** With the values that run: an edit replaces those of the proposal. */
  current: Summary;
  /** With the values of the proposal; `null` if nobody has changed any of them. */
  proposed: Summary | null;
  /** The arguments as JSON text whose values `current` says. */
  valuesJson: string;
}

type Summarized = Pick<Approval, "toolName" | "verdict" | "summary" | "inputJson" | "edited"> & {
  terms: Pick<Approval["terms"], "summaryParts" | "redact" | "redactPatterns">;
};

/** The same for every reader: what the rules hide is hidden in it, as in the sentence that was stored. */
export function callSummary(approval: Summarized): CallSummary {
  const { inputJson, edited, terms } = approval;
  const proposed = proposedSummary(approval);
  if (edited === null) return { current: proposed, proposed: null, valuesJson: inputJson };
  const [before, after] = [inputJson, edited.inputJson].map((json) => redact(JSON.parse(json), terms));
  const current = summaryWith(proposed.parts, before, after);
  const isSame = current.text === proposed.text;
  return { current, proposed: isSame ? null : proposed, valuesJson: edited.inputJson };
}

/** A question as its own summary; `undefined` for other calls. */
export function questionOf(
  { toolName, verdict }: Pick<Approval, "toolName" | "verdict">,
  visibleInput: unknown,
): Summary | undefined {
  // A host's own tool may have this name. It runs after an approval.
  if (toolName !== requestHumanInputName || !(verdict === "manual" || verdict === "deny")) return undefined;
  const message = isPlainObject(visibleInput) ? visibleInput.message : undefined;
  return typeof message === "string" ? questionSummary(message) : undefined;
}

function proposedSummary(approval: Summarized): Summary {
  const { toolName, summary, inputJson, terms } = approval;
  const [first] = terms.summaryParts;
  // Questions that were stored under the name of the tool and some of its arguments.
  const isNamed =
    toolName === requestHumanInputName && first && "text" in first && first.text.startsWith(toolName);
  const question = isNamed ? questionOf(approval, redact(JSON.parse(inputJson), terms)) : undefined;
  return question ?? { text: summary, parts: terms.summaryParts };
}
