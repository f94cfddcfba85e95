import type { PolicyText } from "../files/policy-text.js";
import type { DecidedCall, DecidedOutcome } from "./decided-call.js";

export const defaultMinimums = { minApprovals: 20, minDenials: 5 };

export interface SuggestOptions {
  /** The policy files: the defaults, then the overrides. */
  files: readonly PolicyText[];
  calls: readonly DecidedCall[];
  /** Calls that were decided before this time teach. The later ones only test what was learned. */
  learnUntil: Date;
  /** Calls that were decided before this time are not read at all. */
  learnFrom?: Date | undefined;
  /** Number of approved calls that a looser rule must come from. @default 20 */
  minApprovals?: number;
  /** Number of denied calls that a stricter rule must come from. @default 5 */
  minDenials?: number;
}

/** A change of the policy that nobody has made yet. */
export interface RuleSuggestion {
  toolName: string;
  /** `notify`: the calls would run without a decision, and people would be notified. `deny`: they would not run. */
  verdict: "notify" | "deny";
  when: string;
  /** The calls that it comes from. */
  calls: string[];
  /** The files that it would change. */
  files: string[];
  /** What it would write. */
  changes: RuleChange[];
  /** What it would have changed among the calls that it did not learn from. */
  heldOut: HeldOut;
}

/** A change of one rule, or a new one. */
export interface RuleChange {
  file: string;
  /** The id of the rule whose condition changes; `null` for a new rule. */
  rule: string | null;
  /** The new rule or the new condition, as it is written into the file. */
  text: string;
}

export interface HeldOut {
  /** The calls whose verdict would have been another, by what became of them. */
  changed: { id: string; outcome: DecidedOutcome }[];
  /** Those of them that people decided otherwise. If there are any, the suggestion is not in the changed files. */
  contradictedBy: { id: string; outcome: DecidedOutcome }[];
}

/** A tool about whose calls people decided. */
export interface DecidedTool {
  toolName: string;
  approved: number;
  denied: number;
  /** Neither approved as they were nor denied. */
  other: number;
  /** Why there is no suggestion with this verdict. */
  whyNot: { notify?: string; deny?: string };
}

export interface PolicySuggestions {
  suggestions: RuleSuggestion[];
  tools: DecidedTool[];
  learned: number;
  heldOut: number;
  /** The policy files with all suggestions that were not contradicted. */
  files: { file: string; before: string; after: string }[];
}
