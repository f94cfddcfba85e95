import { risks, type Terms } from "./rule.js";
import { defaultDenials, defaultExtensions, defaultRisk } from "./terms.js";

/**
 * What a thread's rule may not say at all: it would add ways to decide, open fields to edits or calls to the future,
 * let a tool run again, tell the approver of another call than the one that waits, or hide it.
 */
const neverSaid = [
  "decisions",
  "editable",
  "idempotent",
  "grantable",
  "summary",
  "codePreview",
  "redact",
  "redactPatterns",
] as const;

/** The fields with which terms would loosen what others say, or what holds where nobody says anything. */
export function looseningFields(terms: Terms): (keyof Terms)[] {
  const { denials = 0, extensions = 0, delegable = false, ladder = [], risk = defaultRisk } = terms;
  const escalates = ladder.some(({ escalateTo = [] }) => escalateTo.length > 0);
  return [
    ...neverSaid.filter((field) => terms[field] !== undefined),
    ...(denials > defaultDenials ? (["denials"] as const) : []),
    ...(extensions > defaultExtensions ? (["extensions"] as const) : []),
    ...(delegable ? (["delegable"] as const) : []),
    ...(escalates ? (["ladder"] as const) : []),
    ...(risks.indexOf(risk) < risks.indexOf(defaultRisk) ? (["risk"] as const) : []),
  ];
}

/** The terms without what would loosen anything. */
export function withoutLoosening(terms: Terms): Terms {
  const left = { ...terms };
  for (const field of looseningFields(terms)) delete left[field];
  return left;
}
