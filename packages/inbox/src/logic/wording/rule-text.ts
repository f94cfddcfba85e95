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

/** The approvers: any person with one of the roles, or these people. */
export function approversText({ roles, ids }: { roles: string[]; ids: string[] }): string {
  if (roles.length === 0 && ids.length === 0) return "Anyone signed in";
  return [...roles.map((role) => `any ${role}`), ...ids].join(", ");
}
