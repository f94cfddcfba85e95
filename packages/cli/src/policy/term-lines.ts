import type { VerdictKind } from "@countersign/policy/internal/policy/rules/rule";
import type { ResolvedTerms, TermName } from "@countersign/policy/internal/policy/rules/term-table";
import { defaultTerms, termNames, unaskedTerms } from "@countersign/policy/internal/policy/rules/terms";
import { durationWords } from "@countersign/policy/internal/shared/duration";

type Line = [label: string, text: string];

const list = (items: readonly string[]) => items.join(", ");

/** How people read each term. Lines without a text are omitted. */
const lines: { [Name in TermName]: (value: ResolvedTerms[Name]) => Line[] } = {
  reason: (reason) => [["reason", reason ?? ""]],
  summary: (template) => [["summary", template ?? ""]],
  resultSummary: (template) => [["summary of the result", template ?? ""]],
  label: (label) => [["label", label ?? ""]],
  names: (names) => [["names", list(Object.entries(names).map(([path, name]) => `${path} as ${name}`))]],
  units: (units) => [["units", list(Object.entries(units).map(([path, unit]) => `${path} in ${unit}`))]],
  risk: (risk) => [["risk", risk]],
  approvers: ({ roles, ids }) => [
    ["approver roles", list(roles)],
    ["approver ids", list(ids)],
  ],
  quorum: (quorum) => [["quorum", `${quorum} people must approve`]],
  distinctRoles: () => [["distinctRoles", "each approval from a different role"]],
  denials: (denials) => [["denials", `${denials} people must deny`]],
  requesterMayNotApprove: () => [["requesterMayNotApprove", "somebody else must approve"]],
  decisions: (decisions) => [["decisions", list(decisions)]],
  editable: (paths) => [["editable", list(paths)]],
  timeoutMs: (timeout) => [["timeout", timeout === null ? "" : durationWords(timeout)]],
  escalation: (steps) => [
    [
      "escalation",
      steps
        .map(({ afterMs, escalateTo }) => {
          const what = escalateTo.length > 0 ? `${list(escalateTo)} may decide, too,` : "reminder";
          return `${what} after ${durationWords(afterMs)}`;
        })
        .join("; "),
    ],
  ],
  extensions: (count) => [["extensions", String(count)]],
  delegable: () => [["delegable", "approvers may delegate the decision"]],
  holdMs: (hold) => [["holdFor", hold === 0 ? "decisions take effect at once" : durationWords(hold)]],
  grantable: (scopes) => [["grantable", list(scopes)]],
  decideIn: (places) => [["decided in", list(places)]],
  notify: (entries) => [["notified", list(entries)]],
  redact: (paths) => [["redacted", list(paths)]],
  redactPatterns: (patterns) => [["redacted patterns", list(patterns)]],
  idempotent: () => [["idempotent", "it may run again after a crash"]],
  codePreview: (place) => [["codePreview", place ? `calls of ${place.object} in ${place.field}` : ""]],
  withoutPreview: (verdict) => [["without a preview", verdict ? `at least ${verdict}` : ""]],
  reversible: (reversible) => [["can be taken back", reversible === null ? "" : String(reversible)]],
  checks: (checks) => [["safety checks", list(checks.map(({ name }) => name))]],
};

/** Terms that are shown even with their defaults. */
const always: ReadonlySet<TermName> = new Set(["risk", "decisions", "decideIn"]);

/** The terms that matter for the verdict and differ from their defaults. */
export function termLines(kind: VerdictKind, terms: ResolvedTerms): Line[] {
  const asked = kind === "ask" || kind === "manual";
  const unasked: readonly TermName[] = unaskedTerms;
  return termNames
    .filter((name) => asked || unasked.includes(name))
    .filter((name) => always.has(name) || JSON.stringify(terms[name]) !== JSON.stringify(defaultTerms[name]))
    .flatMap((name) => linesOf(name, terms))
    .filter(([, text]) => text !== "");
}

function linesOf<Name extends TermName>(name: Name, terms: ResolvedTerms): Line[] {
  return lines[name](terms[name]);
}
