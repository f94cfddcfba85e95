import { checkedDurationMs } from "../../shared/duration.js";
import type { Risk, Terms } from "./rule.js";

/** The requirements that a rule adds. Only those in force are listed, since another rule may require more. */
export interface AddedTerms {
  risk?: Risk;
  /** Number of different people who must approve. */
  quorum?: number;
  distinctRoles?: true;
  approvers?: { roles: string[]; ids: string[] };
  requesterMayNotApprove?: true;
  /** Milliseconds. */
  timeoutMs?: number;
}

/** The reason of a matching rule and the requirements it adds. */
export interface RuleReason {
  /** The rule's id. */
  rule: string;
  reason: string | null;
  adds: AddedTerms;
}

/** Joins the distinct reasons of rules into one text, in rule order. */
export function joinReasons(all: readonly Pick<Terms, "reason">[]): string | null {
  const reasons = [...new Set(all.flatMap(({ reason }) => (reason ? [reason.trim()] : [])))];
  if (reasons.length === 0) return null;
  return reasons.map((text, at) => (at < reasons.length - 1 ? ended(text) : text)).join(" ");
}

function ended(sentence: string): string {
  return /[.!?…:;]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The reasons and requirements in force of each rule. Rules that add nothing are omitted. */
export function ruleReasons(
  rules: readonly { id: string; terms: Terms }[],
  merged: Required<Pick<AddedTerms, "risk" | "quorum" | "approvers">> & {
    distinctRoles: boolean;
    requesterMayNotApprove: boolean;
    timeoutMs: number | null;
  },
): RuleReason[] {
  const all = rules.map(({ id, terms }): RuleReason => {
    const { risk, quorum = 1, distinctRoles, approvers, requesterMayNotApprove, timeout } = terms;
    const timeoutMs = timeout === undefined ? undefined : checkedDurationMs(timeout);
    const { roles, ids } = merged.approvers;
    const named = approvers && sameItems(approvers.roles, roles) && sameItems(approvers.ids, ids);
    return {
      rule: id,
      reason: terms.reason ?? null,
      adds: {
        ...(risk !== undefined && risk === merged.risk && raised.has(risk) ? { risk } : {}),
        ...(quorum > 1 && quorum === merged.quorum ? { quorum } : {}),
        ...(distinctRoles ? { distinctRoles: true as const } : {}),
        ...(named ? { approvers: { roles: [...roles], ids: [...ids] } } : {}),
        ...(requesterMayNotApprove ? { requesterMayNotApprove: true as const } : {}),
        ...(timeoutMs !== undefined && timeoutMs === merged.timeoutMs ? { timeoutMs } : {}),
      },
    };
  });
  return all.filter(({ reason, adds }) => reason !== null || Object.keys(adds).length > 0);
}

/** Risks above the default. */
const raised: ReadonlySet<Risk> = new Set(["high", "critical"]);

function sameItems(some: readonly string[] = [], others: readonly string[]): boolean {
  return some.length === others.length && some.every((item) => others.includes(item));
}
