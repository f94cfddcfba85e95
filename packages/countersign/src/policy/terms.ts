import ms, { type StringValue } from "ms";
import {
  type DecisionType,
  decisionTypes,
  type GrantScope,
  type Risk,
  risks,
  type Terms,
  type VerdictKind,
} from "./rule.js";

/** Terms with everything said that a request needs; the result of merging those of several rules. */
export interface ResolvedTerms {
  reason: string | null;
  summary: string | null;
  risk: Risk;
  approvers: { roles: string[]; ids: string[] };
  requesterMayNotApprove: boolean;
  /** How many different people must approve. */
  quorum: number;
  /** The approvals of the quorum must come from as many different roles of the approvers. */
  distinctRoles: boolean;
  /** How many different people must deny. */
  denials: number;
  decisions: DecisionType[];
  editable: string[];
  /** Milliseconds; `null` leaves it to the instance. */
  timeoutMs: number | null;
  /** Milliseconds that a thread's rules allow at most, whatever the instance would give. */
  timeoutAtMostMs: number | null;
  redact: string[];
  redactPatterns: string[];
  /** How often an approver may lengthen the time. */
  extensions: number;
  /** Who may decide may let somebody else decide. */
  delegable: boolean;
  grantable: GrantScope[];
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
 * `capping`: those whose time only shortens that of the others.
 */
export function mergeTerms(
  kind: VerdictKind,
  all: readonly Terms[],
  {
    binding = [],
    redacting = [],
    capping = [],
  }: { binding?: readonly Terms[]; redacting?: readonly Terms[]; capping?: readonly Terms[] } = {},
): ResolvedTerms {
  const bound = [...all, ...binding];
  const approvers = bound.flatMap((terms) => (terms.approvers ? [terms.approvers] : []));
  const previews = all.flatMap((terms) => (terms.codePreview ? [terms.codePreview] : []));
  const editable = all.flatMap((terms) => (terms.editable ? [terms.editable] : []));
  const mayEdit = intersection(editable);
  const quorum = Math.max(1, ...bound.flatMap((terms) => (terms.quorum ? [terms.quorum] : [])));
  // What several people approve together no one of them may change or answer instead; and an edit needs something that is open to it.
  const several = quorum > 1;
  const impossible: DecisionType[] = [
    ...(kind === "manual" ? (["approve", "edit"] as const) : []),
    ...(mayEdit.length === 0 || several ? (["edit"] as const) : []),
    ...(several ? (["respond"] as const) : []),
  ];
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
    distinctRoles: bound.some((terms) => terms.distinctRoles),
    denials: lowest(
      bound.map((terms) => terms.denials),
      defaultDenials,
    ),
    decisions: possibleDecisions(kind, all, impossible),
    editable: mayEdit,
    timeoutMs: shortest(bound),
    timeoutAtMostMs: shortest(capping),
    redact: [...new Set([...all, ...redacting].flatMap((terms) => terms.redact ?? []))].sort(),
    redactPatterns: [
      ...new Set([...all, ...redacting].flatMap((terms) => terms.redactPatterns ?? [])),
    ].sort(),
    extensions: lowest(
      bound.map((terms) => terms.extensions),
      defaultExtensions,
    ),
    delegable: bound.some((terms) => terms.delegable) && !bound.some((terms) => terms.delegable === false),
    // What several people approve together no one of them may open for the future.
    grantable: several
      ? []
      : intersection(bound.flatMap((terms) => (terms.grantable ? [terms.grantable] : []))),
    ladder: ladderOf(bound),
    idempotent: all.some((terms) => terms.idempotent),
    codePreview: previews.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))[0] ?? null,
  };
}

/** How much is at stake where no rule says. */
export const defaultRisk: Risk = "medium";
/** How many different people must deny where no rule says. */
export const defaultDenials = 1;
/** How often an approver may lengthen the time where no rule says. */
export const defaultExtensions = 3;

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
  impossible: readonly DecisionType[],
): DecisionType[] {
  const byDefault: readonly DecisionType[] = kind === "manual" ? ["respond", "deny"] : ["approve", "deny"];
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

/** True when a quorum asks for more different roles than there are: such a call could only run out of time. */
export function tooFewRoles({ distinctRoles, quorum, approvers }: ResolvedTerms): boolean {
  return distinctRoles && quorum > 1 && approvers.roles.length < quorum;
}

function highest(found: readonly Risk[]): Risk {
  return found.reduce<Risk>(
    (top, risk) => (risks.indexOf(risk) > risks.indexOf(top) ? risk : top),
    found[0] ?? defaultRisk,
  );
}

/** The shortest time that any rule says, in milliseconds. */
function shortest(all: readonly Terms[]): number | null {
  const times = all.flatMap(({ timeout }) => (timeout ? [Math.round(ms(timeout as StringValue))] : []));
  return times.length > 0 ? Math.min(...times) : null;
}

/** The lowest that any rule says; the default where none says anything. */
function lowest(said: readonly (number | undefined)[], otherwise: number): number {
  const numbers = said.filter((value) => value !== undefined);
  return numbers.length > 0 ? Math.min(...numbers) : otherwise;
}

function intersection<Item extends string>(lists: readonly (readonly Item[])[]): Item[] {
  const [first, ...others] = lists;
  return [...new Set((first ?? []).filter((item) => others.every((list) => list.includes(item))))].sort();
}
