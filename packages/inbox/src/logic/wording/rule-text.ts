import type { Approval, RuleReason } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { durationText } from "./countdown.js";

/** What a rule adds to a call: "two people, high risk". */
export function addedText({ adds }: Pick<RuleReason, "adds">): string {
  const { quorum, distinctRoles, approvers, requesterMayNotApprove, risk, timeoutMs } = adds;
  const texts = words.detail.adds;
  return [
    ...(quorum === undefined ? [] : [texts.people(quorum)]),
    ...(distinctRoles ? [texts.distinctRoles] : []),
    ...(approvers ? [approversText(approvers)] : []),
    ...(requesterMayNotApprove ? [texts.notRequester] : []),
    ...(risk === undefined ? [] : [words.common.risk[risk]]),
    ...(timeoutMs === undefined ? [] : [texts.within(durationText(timeoutMs))]),
  ].join(", ");
}

/** Who has to approve: "Needs two of finance or lead, from different roles. Whoever asked cannot approve." */
export function needsText({
  approvers,
  quorum,
  distinctRoles,
  reasons,
}: Pick<Approval, "approvers" | "quorum" | "distinctRoles" | "reasons">): string {
  const texts = words.detail.why;
  const { roles, ids } = approvers;
  const who = roles.length + ids.length > 0 ? approversText(approvers) : undefined;
  const needs = texts.needs(quorum > 1 ? words.detail.adds.people(quorum) : undefined, who, distinctRoles);
  return reasons.some(({ adds }) => adds.requesterMayNotApprove) ? `${needs} ${texts.notRequester}` : needs;
}

/** The approvers, roles before people: "finance, lead or ada". `anyone` is the text for no names. */
export function approversText(
  { roles, ids }: { roles: string[]; ids: string[] },
  anyone = words.detail.adds.anyone,
): string {
  if (roles.length === 0 && ids.length === 0) return anyone;
  const names = [...roles, ...ids];
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : words.detail.adds.or(names.slice(0, -1).join(", "), last);
}
