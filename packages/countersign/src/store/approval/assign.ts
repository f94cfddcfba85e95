import type { Principal } from "@countersign/policy/internal/shared/principal";
import { and, eq, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { mustLeaveToOthers } from "../../approval/who-decides.js";
import type { Delegator } from "../../evidence/evidence-claims.js";
import { actedAs, audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import type { Sealer } from "../evidence/sealing.js";
import { trailOf } from "../evidence/trail.js";
import type { AssignInput, AssignResult } from "../ports/approval-port.js";
import { expiredFirst, lockPending } from "../request/locked-approval.js";
import { hasStatus } from "../rows/has-status.js";
import { noteName } from "../rows/known-names.js";
import { withPeople } from "../rows/read-approval.js";
import { approvals } from "../schema.js";
import { delegatorOf, signAssignment, signedDelegator } from "./delegation.js";
import { endSnoozes } from "./snooze.js";

/**
 * Assigns a call. If the rule is `delegable`, the assignee may decide whatever their roles. Otherwise the assignment is
 * a hint, and they must be able to decide anyway. Nothing here checks that the assignee exists.
 */
export async function assign(
  session: Transaction,
  input: AssignInput,
  sealer?: Sealer,
): Promise<AssignResult> {
  const { principal, to } = input;
  const found = await lockPending(session, principal, input.approvalId);
  if (found.outcome !== "found") return found;
  const { request, approval } = found;
  if (mustLeaveToOthers(approval, principal.id)) return { outcome: "self_approval", approval };
  if (mustLeaveToOthers(approval, to)) return { outcome: "self_approval", approval };
  // If an assignee assigns the call to somebody else, both act for the first approver. All three people have one vote.
  const trail = await trailOf(session, approval);
  const delegator = await delegatorOf(approval, trail, principal, sealer);
  if (delegator === undefined) return { outcome: "forbidden", approval };
  const onBehalfOf = delegator ?? { id: principal.id, roles: principal.roles };
  // With a sealer, an unsigned assignment is not valid, so the same assignment is written again with a signature.
  const stands = to === null || !sealer || (await signedDelegator(approval, trail, sealer)) !== undefined;
  const repeated = to === approval.assigneeId && stands;
  const assigned = repeated
    ? undefined
    : await assignment(session, approval, principal, { to, onBehalfOf }, sealer);
  await noteName(session, approval, principal);
  if (to !== null) await noteName(session, approval, { id: to, displayName: input.toName });
  const [row] = await session.db
    .update(approvals)
    .set(assigned?.set ?? { assigneeId: to })
    .where(
      and(eq(approvals.id, approval.id), hasStatus("pending"), sql`${approvals.expiresAt} > ${session.now}`),
    )
    .returning();
  if (!row) return expiredFirst(session, request, approval);
  if (!repeated) endSnoozes(session, row);
  const [assignedApproval] = await withPeople(session, [row]);
  if (repeated) return { outcome: "repeated", approval: assignedApproval ?? approval };
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: "approval.assigned",
    notify: row.notify,
    actorId: principal.id,
    data: { from: approval.assigneeId, to, ...assigned?.data, ...actedAs(principal) },
  });
  return { outcome: "assigned", approval: assignedApproval ?? approval };
}

/** The row's fields for an assignment or its removal, and the details for the log. */
async function assignment(
  session: Transaction,
  approval: Approval,
  by: Principal,
  { to, onBehalfOf }: { to: string | null; onBehalfOf: Delegator },
  sealer: Sealer | undefined,
) {
  if (to === null) {
    const nobody = { assigneeId: null, assignedBy: null, assignedRoles: null, assignmentToken: null };
    return { set: nobody, data: sealer ? { assignmentId: null } : {} };
  }
  const signed = sealer && (await signAssignment(session, approval, { by, to, onBehalfOf }, sealer));
  return {
    set: {
      assigneeId: to,
      assignedBy: onBehalfOf.id,
      assignedRoles: onBehalfOf.roles,
      assignmentToken: signed?.token ?? null,
    },
    data: signed ? { assignmentId: signed.assignmentId } : {},
  };
}
