import { type Reversible, strictestReversible } from "../../previews/reversible.js";
import { mergeChecks, type SafetyCheck } from "../../safety-checks/safety-check.js";
import { checkedDurationMs } from "../../shared/duration.js";
import {
  type DecisionType,
  decisionTypes,
  type GrantScope,
  inboxPlace,
  type Risk,
  risks,
  type Terms,
  type VerdictKind,
} from "./rule.js";
import { joinReasons, type RuleReason } from "./rule-reasons.js";

/** Complete terms of a request, merged from those of several rules. */
export interface ResolvedTerms {
  /** The reasons of all rules as one text. */
  reason: string | null;
  /** The matching rules in rule order, each with its requirements. */
  reasons: RuleReason[];
  summary: string | null;
  /** Template for the sentence about the result. */
  resultSummary: string | null;
  /** Units of numbers by the path of their argument. */
  units: Record<string, string>;
  risk: Risk;
  approvers: { roles: string[]; ids: string[] };
  requesterMayNotApprove: boolean;
  /** How many different people must approve. */
  quorum: number;
  /** Each approval of the quorum must come from a different approver role. */
  distinctRoles: boolean;
  /** How many different people must deny. */
  denials: number;
  decisions: DecisionType[];
  editable: string[];
  /** Milliseconds; `null` uses the instance's timeout. */
  timeoutMs: number | null;
  /** Maximum in milliseconds from the thread's rules; also limits the instance's timeout. */
  timeoutAtMostMs: number | null;
  redact: string[];
  redactPatterns: string[];
  /** Number of times an approver may extend the deadline. */
  extensions: number;
  /** Approvers may delegate the decision. */
  delegable: boolean;
  /** The longest time for which a decision may be held, in milliseconds. */
  holdMs: number;
  grantable: GrantScope[];
  /** Reminders and escalations of all rules, in order of time. */
  escalation: { afterMs: number; escalateTo: string[] }[];
  idempotent: boolean;
  codePreview: { field: string; object: string } | null;
  /** The safety checks of all matching rules. */
  checks: SafetyCheck[];
  /** The least strict verdict of a call without a preview; `null` if no rule sets one. */
  withoutPreview: "ask" | "deny" | null;
  /** Whether the call can be taken back; `null` if no rule says it. */
  reversible: Reversible | null;
  /** Channels to notify about the call, with their targets. */
  notify: string[];
  /** Where people may decide. */
  decideIn: string[];
}

/**
 * Merges the terms of several rules with the same verdict. The stricter value wins: approvers must satisfy all rules,
 * the risk is the highest, the timeout the shortest. The order of the rules affects only texts: the first summary is
 * used, of calls and of results, and the first unit of an argument; reasons are in rule order.
 *
 * `binding`: terms of looser rules whose approvers and timeouts also apply. `redacting`: all matching rules.
 * `capping`: rules whose timeout can only shorten that of the others.
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
  // With a quorum, no single person may edit or respond. An edit also requires editable fields.
  const several = quorum > 1;
  const matching = [...bound, ...redacting];
  const places = matching.flatMap((terms) => (terms.decideIn ? [terms.decideIn] : []));
  const impossible: DecisionType[] = [
    ...(kind === "manual" ? (["approve", "edit"] as const) : []),
    ...(mayEdit.length === 0 || several ? (["edit"] as const) : []),
    ...(several ? (["respond"] as const) : []),
  ];
  return {
    reason: joinReasons(bound),
    reasons: [],
    summary: all.find((terms) => terms.summary)?.summary ?? null,
    resultSummary: all.find((terms) => terms.resultSummary)?.resultSummary ?? null,
    units: Object.fromEntries(all.toReversed().flatMap(({ units }) => Object.entries(units ?? {}))),
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
    holdMs: lowest(
      bound.map(({ holdFor }) => (typeof holdFor === "string" ? checkedDurationMs(holdFor) : holdFor)),
      defaultHoldMs,
    ),
    delegable: bound.some((terms) => terms.delegable) && !bound.some((terms) => terms.delegable === false),
    // With a quorum, no single person may create a grant.
    grantable: several
      ? []
      : intersection(bound.flatMap((terms) => (terms.grantable ? [terms.grantable] : []))),
    escalation: mergeEscalation(bound),
    idempotent: all.some((terms) => terms.idempotent),
    codePreview: previews.sort((a, b) => (previewOrder(a) < previewOrder(b) ? -1 : 1))[0] ?? null,
    checks: mergeChecks(matching.flatMap((terms) => terms.checks ?? [])),
    withoutPreview: strictestWithoutPreview(matching),
    reversible: strictestReversible(matching.map(({ reversible }) => reversible)),
    notify: [...new Set(matching.flatMap((terms) => terms.notify ?? []))].sort(),
    decideIn: places.length > 0 ? intersection(places) : [inboxPlace],
  };
}

/** Risk if no rule sets one. */
export const defaultRisk: Risk = "medium";
// The digests of calls omit terms that have these values, so with others pending calls would no longer match theirs.

/** Number of different people who must deny if no rule sets it. */
export const defaultDenials = 1;
/** The longest time for which a decision may be held if no rule sets it, in milliseconds. */
export const defaultHoldMs = 10_000;
/** Number of extensions if no rule sets it. */
export const defaultExtensions = 3;

/** Where tools of an MCP bridge have their script, and the object by which it calls other tools. */
export const bridgeCodePreview = { field: "code", object: "codemode" };

/** The bridge's preview comes last, because no rule has to name it. */
function previewOrder({ field, object }: { field: string; object: string }): string {
  const isDefault = field === bridgeCodePreview.field && object === bridgeCodePreview.object;
  return JSON.stringify([isDefault, field, object]);
}

function mergeEscalation(all: readonly Terms[]): ResolvedTerms["escalation"] {
  return all
    .flatMap((terms) => terms.escalation ?? [])
    .map(({ after, escalateTo }) => ({
      afterMs: checkedDurationMs(after),
      escalateTo: [...(escalateTo ?? [])].sort(),
    }))
    .sort((a, b) => a.afterMs - b.afterMs || (a.escalateTo.join() < b.escalateTo.join() ? -1 : 1));
}

/** The decision types that all rules allow, or only `deny` if they have none in common. */
function possibleDecisions(
  kind: VerdictKind,
  all: readonly Terms[],
  impossible: readonly DecisionType[],
): DecisionType[] {
  // Without `editable` no edit is possible, so a rule that names fields intends to allow edits.
  const byDefault: readonly DecisionType[] =
    kind === "manual" ? ["respond", "deny"] : ["approve", "edit", "deny"];
  const restricted = all.flatMap((terms) => (terms.decisions ? [terms.decisions] : []));
  const allowed = decisionTypes.filter((type) =>
    restricted.length === 0 ? byDefault.includes(type) : restricted.every((types) => types.includes(type)),
  );
  const left = allowed.filter((type) => !impossible.includes(type));
  return left.length > 0 ? left : ["deny"];
}

function strictestWithoutPreview(all: readonly Terms[]): ResolvedTerms["withoutPreview"] {
  if (all.some(({ withoutPreview }) => withoutPreview === "deny")) return "deny";
  return all.some(({ withoutPreview }) => withoutPreview === "ask") ? "ask" : null;
}

/** Whether rules name approvers but nobody satisfies all of them. Such a call could only expire. */
export function nobodyMayDecide(all: readonly Terms[], merged: ResolvedTerms): boolean {
  const named = all.some(
    ({ approvers }) => (approvers?.roles?.length ?? 0) + (approvers?.ids?.length ?? 0) > 0,
  );
  return named && merged.approvers.roles.length === 0 && merged.approvers.ids.length === 0;
}

/** Whether a quorum requires more different roles than exist. Such a call could only expire. */
export function tooFewRoles({ distinctRoles, quorum, approvers }: ResolvedTerms): boolean {
  return distinctRoles && quorum > 1 && approvers.roles.length < quorum;
}

function highest(found: readonly Risk[]): Risk {
  return found.reduce<Risk>(
    (top, risk) => (risks.indexOf(risk) > risks.indexOf(top) ? risk : top),
    found[0] ?? defaultRisk,
  );
}

/** The shortest timeout of any rule, in milliseconds. */
function shortest(all: readonly Terms[]): number | null {
  const times = all.flatMap(({ timeout }) => (timeout ? [checkedDurationMs(timeout)] : []));
  return times.length > 0 ? Math.min(...times) : null;
}

/** The lowest value of any rule, or the default if no rule sets one. */
function lowest(values: readonly (number | undefined)[], otherwise: number): number {
  const numbers = values.filter((value) => value !== undefined);
  return numbers.length > 0 ? Math.min(...numbers) : otherwise;
}

function intersection<Item extends string>(lists: readonly (readonly Item[])[]): Item[] {
  const [first, ...others] = lists;
  return [...new Set((first ?? []).filter((item) => others.every((list) => list.includes(item))))].sort();
}
