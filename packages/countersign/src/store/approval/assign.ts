import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import { mustLeaveToOthers } from "../../approval/who-decides.js";
import type { Delegator } from "../../evidence/evidence-claims.js";
import { actedAs } from "../audit/audit.js";
import { type DecisionSeen, shownCall } from "../decision-seen.js";
import type { Sealer } from "../evidence/sealing.js";
import type { TrailEntry } from "../evidence/trail.js";
import type { AssignInput, AssignResult } from "../ports/approval-port.js";
import { namesOf } from "../rows/known-names.js";
import type { Judgement } from "../verb.js";
import { delegatorOf, signAssignment, signedDelegator } from "./delegation.js";
import { comparedOnly, expiredFirst, openCall } from "./open-call.js";

/**
 * Assigns a call. If the rule is `delegable`, the assignee may decide whatever their roles. Otherwise the assignment is
 * a hint, and they must be able to decide anyway. Nothing here checks that the assignee exists.
 */
export async function judgeAssignment(
  seen: DecisionSeen | undefined,
  { principal, to, toName, approvalId }: AssignInput,
  sealer: Sealer | undefined,
): Promise<Judgement<AssignResult>> {
  const found = openCall(seen, principal);
  if (found.outcome !== "found") return { result: found };
  const { approval } = found;
  const { request, call } = found.seen;
  if (mustLeaveToOthers(approval, principal.id) || mustLeaveToOthers(approval, to)) {
    return { result: { outcome: "self_approval", approval } };
  }
  // If an assignee assigns the call to somebody else, both act for the first approver. All three people have one vote.
  const delegator = await delegatorOf(approval, call.trail, principal, sealer);
  if (delegator === undefined) return { result: { outcome: "forbidden", approval } };
  const { expiresAt } = call.row;
  if (!expiresAt || expiresAt <= request.now) return expiredFirst(found.seen, approval);
  const names = namesOf(approval, [principal, ...(to === null ? [] : [{ id: to, displayName: toName }])]);
  if (to === approval.assigneeId && (await stands(approval, call.trail, sealer))) {
    const result = { outcome: "repeated", approval } as const;
    // Somebody may have another name by now.
    return names ? { result, changes: { ...comparedOnly(found.seen, expiresAt), names } } : { result };
  }
  request.holdsUntil(expiresAt);
  request.also.names = names;
  const onBehalfOf = delegator ?? { id: principal.id, roles: principal.roles };
  const made = { by: principal, to, onBehalfOf, at: request.now };
  const { set, data } = await assignment(approval, made, sealer);
  call.change(set);
  request.also.snoozeEnds = { approvalId };
  request.audited.push({
    tenantId: approval.tenantId,
    approvalId,
    type: "approval.assigned",
    notify: approval.notify,
    actorId: principal.id,
    data: { from: approval.assigneeId, to, ...data, ...actedAs(principal) },
  });
  const assigned = shownCall({ ...found.seen, snoozes: [] });
  return { result: { outcome: "assigned", approval: assigned }, changes: request.changes() };
}

/** With a sealer, an unsigned assignment is not valid, so the same assignment is written again with a signature. */
async function stands(
  approval: Approval,
  trail: readonly TrailEntry[],
  sealer: Sealer | undefined,
): Promise<boolean> {
  if (approval.assigneeId === null || !sealer) return true;
  return (await signedDelegator(approval, trail, sealer)) !== undefined;
}

/** The row's fields for an assignment or its removal, and the details for the log. */
async function assignment(
  approval: Approval,
  { to, ...made }: { by: Principal; to: string | null; onBehalfOf: Delegator; at: Date },
  sealer: Sealer | undefined,
) {
  if (to === null) {
    const nobody = { assigneeId: null, assignedBy: null, assignedRoles: null, assignmentToken: null };
    return { set: nobody, data: sealer ? { assignmentId: null } : {} };
  }
  const signed = sealer && (await signAssignment(approval, { ...made, to }, sealer));
  return {
    set: {
      assigneeId: to,
      assignedBy: made.onBehalfOf.id,
      assignedRoles: made.onBehalfOf.roles,
      assignmentToken: signed?.token ?? null,
    },
    data: signed ? { assignmentId: signed.assignmentId } : {},
  };
}
