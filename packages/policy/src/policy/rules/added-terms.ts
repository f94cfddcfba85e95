import { checkedDurationMs } from "../../shared/duration.js";
import type { Risk } from "./rule.js";
import type { AddedTerms, RuleReason } from "./rule-reasons.js";
import type { Terms } from "./terms.js";

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
