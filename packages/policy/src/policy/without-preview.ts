import { pick } from "../shared/pick.js";
import type { PolicyCall } from "./policy-call.js";
import { effectsOf } from "./preview-facts.js";
import { withoutLoosening } from "./rules/loosening.js";
import { type VerdictKind, verdictKinds } from "./rules/rule.js";
import { joinReasons } from "./rules/rule-reasons.js";
import { type Terms, textTerms } from "./rules/terms.js";

const reason = "The call has no preview of its effects";

/** Whether it is known what a call would change. A question changes nothing. */
export function hasPreview(call: PolicyCall): boolean {
  return call.question !== undefined || effectsOf(call) !== null;
}

/**
 * What a rule with `withoutPreview` says of a call without a preview; `undefined` if its own verdict is as strict. People
 * read the rule's texts, and its approvers decide. What loosens is left out: nobody edits such a call, and no grant covers
 * it because of this rule.
 */
export function verdictWithoutPreview(
  verdict: VerdictKind,
  terms: Terms,
): { verdict: "ask" | "deny"; terms: Terms } | undefined {
  const { withoutPreview, codePreview } = terms;
  if (!withoutPreview || verdictKinds.indexOf(withoutPreview) <= verdictKinds.indexOf(verdict))
    return undefined;
  return {
    verdict: withoutPreview,
    terms: {
      ...withoutLoosening(withoutPreview, terms),
      ...pick(terms, textTerms),
      codePreview,
      reason: joinReasons([reason, terms.reason ?? ""]) ?? reason,
    },
  };
}
