import type { ResolvedTerms } from "@countersign/policy/internal/policy/rules/terms";
import type { Summary } from "@countersign/policy/internal/policy/summary";
import type { ApprovalTerms } from "../../approval/approval.js";
import { defaultTerms } from "../../approval/default-terms.js";
import type { ProposedCall } from "../../store/ports/request-port.js";
import { currentScope } from "../run/run-scope.js";
import type { ReviewRuntime } from "../run/runtime.js";

type CallItself = Pick<
  ProposedCall,
  "id" | "toolCallId" | "toolName" | "toolVersion" | "inputJson" | "policyVersion"
> &
  Partial<Omit<ProposedCall, "terms" | "summary">>;

/** Builds a call to save from the call itself and the terms of its rule. `stored` is what of the terms is saved. */
export function proposedCall(
  { timeoutMs, notifyTargets }: Pick<ReviewRuntime, "timeoutMs" | "notifyTargets">,
  terms: ResolvedTerms,
  { summary, stored, ...call }: CallItself & { summary: Summary; stored: Partial<ApprovalTerms> },
): ProposedCall {
  const { verdict = "ask" } = call;
  const waits = verdict === "ask" || verdict === "manual";
  const histories = waits ? (currentScope()?.histories ?? []).map(({ channel }) => channel) : [];
  return {
    position: 0,
    inputSchemaJson: null,
    policyContext: { principal: null, profile: null, mcp: null },
    verdict,
    reason: terms.reason,
    risk: terms.risk,
    approvers: terms.approvers,
    timeoutMs: Math.min(terms.timeoutMs ?? timeoutMs, terms.timeoutAtMostMs ?? Number.POSITIVE_INFINITY),
    notify: [...notifyTargets(terms.notify), ...histories],
    ...call,
    summary: summary.text,
    terms: { ...defaultTerms, ...stored, summaryParts: summary.parts },
  };
}

/** The terms of a rule that apply to whatever a person decides. */
export function decisionTerms(terms: ResolvedTerms) {
  return {
    quorum: terms.quorum,
    distinctRoles: terms.distinctRoles,
    denials: terms.denials,
    escalation: terms.escalation,
    redact: terms.redact,
    requesterMayNotApprove: terms.requesterMayNotApprove,
    extensions: terms.extensions,
    delegable: terms.delegable,
    holdMs: terms.holdMs,
    reasons: terms.reasons,
    decideIn: terms.decideIn,
    resultSummary: terms.resultSummary,
    units: terms.units,
    reversible: terms.reversible,
  } satisfies Partial<ApprovalTerms>;
}
