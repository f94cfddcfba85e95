import ms, { type StringValue } from "ms";
import { type DecisionType, decisionTypes, type Risk, risks, type Terms, type VerdictKind } from "./rule.js";

/** Terms with everything said that a request needs; the result of merging those of several rules. */
export interface ResolvedTerms {
  reason: string | null;
  summary: string | null;
  risk: Risk;
  approvers: { roles: string[]; ids: string[] };
  requesterMayNotApprove: boolean;
  /** How many different people must approve. */
  quorum: number;
  decisions: DecisionType[];
  editable: string[];
  /** Milliseconds; `null` leaves it to the instance. */
  timeoutMs: number | null;
  redact: string[];
  /** Reminders and escalations of all rules, in the order of time. */
  ladder: { afterMs: number; escalateTo: string[] }[];
  idempotent: boolean;
  codePreview: { field: string; object: string } | null;
}

/**
 * The terms of several rules with the same verdict, the stricter of each: who may decide must satisfy all of them,
 * the risk is the highest, the time the shortest. Independent of the order of the rules but for the two texts,
 * which come from the first rule that has one.
 *
 * `binding`: terms of looser rules that also hold for who decides, and how soon. `redacting`: all rules that matched.
 */
export function mergeTerms(
  kind: VerdictKind,
  all: readonly Terms[],
  { binding = [], redacting = [] }: { binding?: readonly Terms[]; redacting?: readonly Terms[] } = {},
): ResolvedTerms {
  const bound = [...all, ...binding];
  const approvers = bound.flatMap((terms) => (terms.approvers ? [terms.approvers] : []));
  const timeouts = bound.flatMap((terms) =>
    terms.timeout ? [Math.round(ms(terms.timeout as StringValue))] : [],
  );
  const previews = all.flatMap((terms) => (terms.codePreview ? [terms.codePreview] : []));
  const editable = all.flatMap((terms) => (terms.editable ? [terms.editable] : []));
  const mayEdit = intersection(editable);
  const quorum = Math.max(1, ...bound.flatMap((terms) => (terms.quorum ? [terms.quorum] : [])));
  // What several people approve together no one of them may change; and an edit needs something that is open to it.
  const nothingEditable = mayEdit.length === 0 || quorum > 1;
  return {
    reason: all.find((terms) => terms.reason)?.reason ?? null,
    summary: all.find((terms) => terms.summary)?.summary ?? null,
    risk: highest(bound.flatMap((terms) => (terms.risk ? [terms.risk] : []))),
    approvers: {
      roles: intersection(approvers.map(({ roles }) => roles ?? [])),
      ids: intersection(approvers.map(({ ids }) => ids ?? [])),
    },
    requesterMayNotApprove: bound.some((terms) => terms.requesterMayNotApprove),
    quorum,
    decisions: possibleDecisions(kind, all, nothingEditable),
    editable: mayEdit,
    timeoutMs: timeouts.length > 0 ? Math.min(...timeouts) : null,
    redact: [...new Set([...all, ...redacting].flatMap((terms) => terms.redact ?? []))].sort(),
    ladder: ladderOf(bound),
    idempotent: all.some((terms) => terms.idempotent),
    codePreview: previews.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))[0] ?? null,
  };
}

function ladderOf(all: readonly Terms[]): ResolvedTerms["ladder"] {
  return all
    .flatMap((terms) => terms.ladder ?? [])
    .map(({ after, escalateTo }) => ({
      afterMs: Math.round(ms(after as StringValue)),
      escalateTo: [...(escalateTo ?? [])].sort(),
    }))
    .sort((a, b) => a.afterMs - b.afterMs || (a.escalateTo.join() < b.escalateTo.join() ? -1 : 1));
}

/** What all rules let a person do; where they agree on nothing, refusing is left. */
function possibleDecisions(
  kind: VerdictKind,
  all: readonly Terms[],
  nothingEditable: boolean,
): DecisionType[] {
  const byDefault: readonly DecisionType[] = kind === "manual" ? ["respond", "deny"] : ["approve", "deny"];
  const impossible: DecisionType[] =
    kind === "manual" ? ["approve", "edit"] : nothingEditable ? ["edit"] : [];
  const restricted = all.flatMap((terms) => (terms.decisions ? [terms.decisions] : []));
  const allowed = decisionTypes.filter((type) =>
    restricted.length === 0 ? byDefault.includes(type) : restricted.every((types) => types.includes(type)),
  );
  const left = allowed.filter((type) => !impossible.includes(type));
  return left.length > 0 ? left : ["deny"];
}

/** True when rules name approvers and nobody satisfies them all: such a call could only run out of time. */
export function nobodyMayDecide(all: readonly Terms[], merged: ResolvedTerms): boolean {
  const named = all.some(
    ({ approvers }) => (approvers?.roles?.length ?? 0) + (approvers?.ids?.length ?? 0) > 0,
  );
  return named && merged.approvers.roles.length === 0 && merged.approvers.ids.length === 0;
}

function highest(found: readonly Risk[]): Risk {
  return found.reduce<Risk>(
    (top, risk) => (risks.indexOf(risk) > risks.indexOf(top) ? risk : top),
    found[0] ?? "medium",
  );
}

function intersection(lists: readonly (readonly string[])[]): string[] {
  const [first, ...others] = lists;
  return [...new Set((first ?? []).filter((item) => others.every((list) => list.includes(item))))].sort();
}
