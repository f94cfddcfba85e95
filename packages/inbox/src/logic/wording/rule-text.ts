import type { RuleReason } from "../../api/approval.js";
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
