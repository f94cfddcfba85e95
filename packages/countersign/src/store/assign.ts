import { and, eq, sql } from "drizzle-orm";
import { isNamed } from "../approval/who-decides.js";
import { actedAs, audit } from "./audit.js";
import type { Transaction } from "./database.js";
import { isOwn, lockPending, ranOut } from "./locked-approval.js";
import { withPeople } from "./read-approval.js";
import { approvals } from "./schema.js";
import type { AssignInput, AssignResult } from "./store.js";

/**
 * Says who should decide. Where the rule is `delegable`, that person then may, whatever roles they have; elsewhere
 * it is a hint, and they must be able to decide anyway. Whether there is such a person nobody here knows.
 */
export async function assign(session: Transaction, input: AssignInput): Promise<AssignResult> {
  const { principal, to } = input;
  const found = await lockPending(session, principal, input.approvalId);
  if (found.outcome !== "found") return found;
  const { request, approval } = found;
  if (isOwn(approval, principal.id)) return { outcome: "self_approval", approval };
  if (isOwn(approval, to)) return { outcome: "requester_may_not", approval };
  // Whoever passes on what was passed on to them still speaks for the first: there is one voice, not three.
  const onBehalfOf = isNamed(approval, principal) ? principal.id : approval.assignedBy;
  const [row] = await session.db
    .update(approvals)
    .set({ assigneeId: to, assignedBy: to === null ? null : onBehalfOf })
    .where(
      and(
        eq(approvals.id, approval.id),
        eq(approvals.status, "pending"),
        sql`${approvals.expiresAt} > ${session.now}`,
      ),
    )
    .returning();
  if (!row) return ranOut(session, request, approval);
  const [assigned] = await withPeople(session, [row]);
  if (to === approval.assigneeId) return { outcome: "repeated", approval: assigned ?? approval };
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: "approval.assigned",
    actorId: principal.id,
    data: { from: approval.assigneeId, to, ...actedAs(principal) },
  });
  return { outcome: "assigned", approval: assigned ?? approval };
}
