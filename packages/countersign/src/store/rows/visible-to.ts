import { type Principal, personKey } from "@countersign/policy/internal/shared/principal";
import { and, arrayOverlaps, eq, isNull, like, or, type SQL, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import { approvals } from "../schema.js";
import { hasStatus } from "./has-status.js";

/** `maySee` in SQL. */
export function visibleTo(principal: Principal): SQL | undefined {
  return or(
    eq(approvals.requesterId, principal.id),
    decidableBy(principal),
    // The name first: it is cheaper to read than the terms.
    and(
      like(approvals.toolName, "%.undo"),
      sql`${approvals.terms} -> 'undoes' ->> 'askedBy' = ${principal.id}`,
    ),
  );
}

/** Calls that a principal could decide now, in at least one way. */
export function decidableNow(principal: Principal, now: Session["now"]): (SQL | undefined)[] {
  const decisions = sql`${approvals.terms} -> 'decisions'`;
  const ownApproval = sql`coalesce((${approvals.terms} ->> 'requesterMayNotApprove')::boolean, false)`;
  return [
    hasStatus("pending"),
    isNull(approvals.heldUntil),
    sql`${approvals.expiresAt} > ${now}`,
    decidableBy(principal),
    // The requester may at most deny the call, if the rule allows that.
    or(
      sql`lower(${approvals.requesterId}) is distinct from ${personKey(principal.id)}`,
      sql`not ${ownApproval}`,
      sql`coalesce(${decisions} ? 'deny', true)`,
    ),
  ];
}

/** `mayDecide` in SQL. */
export function decidableBy(principal: Principal): SQL | undefined {
  const open = sql`${approvals.approverRoles} = '{}' and ${approvals.approverIds} = '{}'`;
  return or(
    open,
    arrayOverlaps(approvals.approverIds, [principal.id]),
    and(
      sql`coalesce((${approvals.terms} ->> 'delegable')::boolean, false)`,
      eq(approvals.assigneeId, principal.id),
    ),
    principal.roles.length > 0 ? arrayOverlaps(approvals.approverRoles, principal.roles) : undefined,
  );
}
