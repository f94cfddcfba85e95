import type { Hiding } from "../../redaction/redact.js";
import type { PolicyCall } from "../policy-call.js";
import type { VerdictKind } from "../rules/rule.js";
import type { ResolvedTerms } from "../rules/term-table.js";

/**
 * What became of a call that people decided. `approved`: as it was proposed, and it ran without an error. `doubted`:
 * approved although somebody denied it or a safety check failed. `undone`: ran, and somebody wanted to take it back.
 */
export const decidedOutcomes = [
  "approved",
  "denied",
  "edited",
  "answered",
  "doubted",
  "failed",
  "interrupted",
  "undone",
] as const;
export type DecidedOutcome = (typeof decidedOutcomes)[number];

/** What became of calls that were not approved as they were, by the decision. */
export const outcomesOfOthers = { deny: "denied", edit: "edited", respond: "answered" } as const;

/** A call that people decided, with the terms under which they did. */
export interface DecidedCall {
  /** The approval's id, or the place in a file. */
  id: string;
  call: PolicyCall;
  outcome: DecidedOutcome;
  decidedAt: Date;
  /** The verdict when the call was proposed. */
  verdict: VerdictKind;
  terms: Pick<ResolvedTerms, "risk" | "quorum" | "requesterMayNotApprove"> & Hiding;
  /** Whether its tool had a preview, also one that failed. */
  hasPreview: boolean;
}
