import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { type Principal, personKey } from "@countersign/policy/internal/shared/principal";
import { and, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { ListName } from "../../approval/list-names.js";
import type { Session } from "../database.js";
import { approvals, snoozes, votes } from "../schema.js";
import { hasStatus } from "./has-status.js";
import { decidableBy, visibleTo } from "./visible-to.js";

/** Whether a person has voted and not taken that back. */
export function hasVoted(personId: string): SQL {
  // Drizzle would write the columns without their tables here.
  return sql`exists (select from ${votes} own where own.approval_id = ${approvals}.id
    and own.tenant_id = ${approvals}.tenant_id and own.principal_id = ${personId}
    and own.taken_back_at is null)`;
}

/** Which calls are in one of a person's {@link ListName}s. */
export function inList(name: ListName, principal: Principal, now: Session["now"]): SQL | undefined {
  const isInTime = sql`${approvals.expiresAt} > ${now}`;
  // A decision that is held was made in time.
  const isPending = and(hasStatus("pending"), or(isNotNull(approvals.heldUntil), isInTime));
  const holds = sql`${approvals.held} ->> 'decidedBy' = ${principal.id}`;
  const isOwn = sql`lower(${approvals.requesterId}) is not distinct from ${personKey(principal.id)}`;
  const isToDecide = and(
    hasStatus("pending"),
    isNull(approvals.heldUntil),
    isInTime,
    decidableBy(principal),
    sql`coalesce(${approvals.terms} -> 'decideIn' ? ${inboxPlace}, true)`,
    sql`not (${isOwn} and coalesce((${approvals.terms} ->> 'requesterMayNotApprove')::boolean, false))`,
    sql`not ${hasVoted(principal.id)}`,
  );
  const isSnoozed = sql`exists (select from ${snoozes} own where own.approval_id = ${approvals}.id
    and own.tenant_id = ${approvals}.tenant_id and own.principal_id = ${principal.id} and own.until > ${now})`;
  switch (name) {
    case "for_you":
      return and(isToDecide, sql`not ${isSnoozed}`);
    case "snoozed":
      return and(isToDecide, isSnoozed);
    case "waiting":
      return and(
        isPending,
        visibleTo(principal),
        or(and(isNotNull(approvals.heldUntil), holds), hasVoted(principal.id)),
      );
    case "asked":
      return and(isOwn, visibleTo(principal), or(isPending, hasStatus("proposed", "approved", "executing")));
    case "uncertain":
      return and(hasStatus("interrupted"), isNull(approvals.resolutionOutcome), visibleTo(principal));
  }
}
