import type { RuleReason } from "../../api/approval.js";
import { durationText } from "./countdown.js";

const numbers = ["no", "one", "two", "three", "four", "five"];

/** What a rule adds to a call: "two people, high risk". */
export function addedText({ adds }: Pick<RuleReason, "adds">): string {
  const { quorum, distinctRoles, approvers, requesterMayNotApprove, risk, timeoutMs } = adds;
  return [
    ...(quorum === undefined ? [] : [`${numbers[quorum] ?? quorum} people`]),
    ...(distinctRoles ? ["from different roles"] : []),
    ...(approvers ? [approversText(approvers)] : []),
    ...(requesterMayNotApprove ? ["not the requester"] : []),
    ...(risk === undefined ? [] : [`${risk} risk`]),
    ...(timeoutMs === undefined ? [] : [`within ${durationText(timeoutMs)}`]),
  ].join(", ");
}

/** The approvers, roles before people: "finance, lead or ada". */
export function approversText({ roles, ids }: { roles: string[]; ids: string[] }): string {
  if (roles.length === 0 && ids.length === 0) return "Anyone signed in";
  const names = [...roles, ...ids];
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
