import type { ResolvedTerms } from "@countersign/policy/internal/policy/rules/term-table";
import { storedAlways } from "@countersign/policy/internal/policy/rules/terms";
import { summaryOf } from "@countersign/policy/internal/policy/summary";
import { redact } from "@countersign/policy/internal/redaction/redact";
import { pick } from "@countersign/policy/internal/shared/pick";
import type { ApprovalTerms } from "../../approval/approval.js";
import { questionOf } from "../../approval/call-summary.js";
import { defaultTerms } from "../../approval/default-terms.js";
import { withPatterns } from "../../approval/visible-arguments.js";
import type { ProposedCall } from "../../store/ports/request-port.js";
import { currentScope } from "../run/run-scope.js";
import type { ReviewRuntime } from "../run/runtime.js";

type CallItself = Pick<ProposedCall, "id" | "toolName" | "toolVersion" | "inputJson" | "policyVersion"> &
  Partial<Omit<ProposedCall, "terms" | "summary">>;

/** What is saved of a rule's terms, beside those that apply to any decision. */
interface TermsToSave {
  /** @default nothing */
  stored?: Partial<ApprovalTerms>;
  /** The template of the summary. @default that of the rule */
  summary?: string | null;
  /** What people do not see of the arguments. @default what the rule and the instance hide */
  hiding?: Pick<ApprovalTerms, "redact" | "redactPatterns">;
}

/** Builds a call to save from the call itself and the terms of its rule. */
export function proposedCall(
  runtime: Pick<ReviewRuntime, "timeoutMs" | "notifyTargets" | "redactPatterns">,
  terms: ResolvedTerms,
  { stored, summary = terms.summary, hiding = hidingOf(runtime, terms), ...call }: CallItself & TermsToSave,
): ProposedCall {
  const { verdict = "ask", id: toolCallId, toolName, inputJson, inputSchemaJson = null } = call;
  const waits = verdict === "ask" || verdict === "manual";
  const histories = waits ? (currentScope()?.histories ?? []).map(({ channel }) => channel) : [];
  const saved = { ...defaultTerms, ...pick(terms, storedAlways), ...hiding, ...stored };
  const named = { toolName, label: saved.label, names: saved.names };
  const visible = redact(JSON.parse(inputJson), hiding);
  const question = summary ? undefined : questionOf({ toolName, verdict }, visible);
  const shown = question ?? summaryOf(summary, named, visible, inputSchemaJson);
  return {
    toolCallId,
    position: 0,
    inputSchemaJson,
    policyContext: { principal: null, profile: null, mcp: null },
    verdict,
    reason: terms.reason,
    risk: terms.risk,
    approvers: terms.approvers,
    timeoutMs: Math.min(
      terms.timeoutMs ?? runtime.timeoutMs,
      terms.timeoutAtMostMs ?? Number.POSITIVE_INFINITY,
    ),
    notify: [...runtime.notifyTargets(terms.notify), ...histories],
    ...call,
    summary: shown.text,
    terms: { ...saved, summaryParts: shown.parts },
  };
}

/** What the rule and the instance hide of a call's arguments. */
export function hidingOf(
  { redactPatterns }: Pick<ReviewRuntime, "redactPatterns">,
  terms: Pick<ResolvedTerms, "redact" | "redactPatterns">,
): Pick<ApprovalTerms, "redact" | "redactPatterns"> {
  return { redact: terms.redact, redactPatterns: withPatterns(redactPatterns, terms.redactPatterns) };
}
