import { previewFacts } from "@countersign/policy/internal/policy/preview-facts";
import {
  type DecidedCall,
  type DecidedOutcome,
  outcomesOfOthers,
} from "@countersign/policy/internal/policy/suggestions/decided-call";
import { allTerms } from "../approval/default-terms.js";
import { countedOf } from "../counting/call-counts.js";
import type { DecidedRow } from "../store/ports/insight-port.js";

/** The decided call of a row; `undefined` if its outcome is not known yet, or says nothing about the call. */
export function decidedCallOf(row: DecidedRow): DecidedCall | undefined {
  const outcome = outcomeOf(row);
  if (!outcome) return undefined;
  const { principal, profile, mcp, marked } = row.policyContext;
  const { quorum, requesterMayNotApprove, redact, redactPatterns, preview, counts } = allTerms(row.terms);
  return {
    id: row.id,
    outcome,
    decidedAt: row.decidedAt,
    verdict: row.verdict,
    call: {
      toolName: row.toolName,
      input: JSON.parse(row.inputJson),
      principal,
      thread: row.threadId === null ? null : { id: row.threadId },
      profile: profile ?? undefined,
      mcp: mcp ?? undefined,
      marked,
      ...previewFacts(preview),
      counted: countedOf(counts),
    },
    terms: { risk: row.risk, quorum, requesterMayNotApprove, redact, redactPatterns },
    hasPreview: preview !== null,
  };
}

/** What became of the call; `undefined` if it is not known yet, or says nothing about the call. */
function outcomeOf(row: DecidedRow): DecidedOutcome | undefined {
  const { decisionType: decision, status, withdrawalCause: cause, terms } = row;
  if (decision !== "approve") return outcomesOfOthers[decision];
  if (status === "failed" || status === "interrupted") return status;
  if (status === "withdrawn") {
    return cause === "check_failed" || cause === "effects_changed" ? "doubted" : undefined;
  }
  if (status !== "executed") return undefined;
  if (row.undoId !== null) return "undone";
  const { checks } = allTerms(terms);
  return row.deniedByOne || checks.some(({ ok }) => !ok) ? "doubted" : "approved";
}
