import { checkedDurationMs } from "../../shared/duration.js";
import { risks, type Terms, type VerdictKind } from "./rule.js";
import { defaultDenials, defaultExtensions, defaultHoldMs, defaultRisk } from "./terms.js";

/**
 * Terms that a thread's rule must not set: they would add decision types, allow edits, grants or re-runs, or change
 * or hide what the approver sees, or send it elsewhere.
 */
const notAllowed = [
  "decisions",
  "editable",
  "idempotent",
  "grantable",
  "summary",
  "resultSummary",
  "units",
  "codePreview",
  "redact",
  "redactPatterns",
  "notify",
  "decideIn",
] as const;

/** The fields of the terms that would loosen other rules or the defaults. */
export function looseningFields(verdict: VerdictKind, terms: Terms): (keyof Terms)[] {
  const { denials = 0, extensions = 0, delegable = false, escalation = [], risk = defaultRisk } = terms;
  const { holdFor = 0 } = terms;
  const holdMs = typeof holdFor === "string" ? checkedDurationMs(holdFor) : holdFor;
  const escalates = escalation.some(({ escalateTo = [] }) => escalateTo.length > 0);
  return [
    ...notAllowed.filter((field) => terms[field] !== undefined),
    // Approvers would read the reason as the policy's own. With deny, nobody decides.
    ...(verdict !== "deny" && terms.reason !== undefined ? (["reason"] as const) : []),
    ...(denials > defaultDenials ? (["denials"] as const) : []),
    ...(extensions > defaultExtensions ? (["extensions"] as const) : []),
    ...(holdMs > defaultHoldMs ? (["holdFor"] as const) : []),
    ...(delegable ? (["delegable"] as const) : []),
    ...(escalates ? (["escalation"] as const) : []),
    ...(risks.indexOf(risk) < risks.indexOf(defaultRisk) ? (["risk"] as const) : []),
  ];
}

/** Returns the terms without loosening fields. */
export function withoutLoosening(verdict: VerdictKind, terms: Terms): Terms {
  const left = { ...terms };
  for (const field of looseningFields(verdict, terms)) delete left[field];
  return left;
}
