import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import { mayDecide, maySee } from "../../approval/who-decides.js";
import { type Changes, validUntil } from "../changes.js";
import { type DecisionSeen, shownCall } from "../decision-seen.js";
import type { ExpiredFirst, LostTo, NotOpenToYou } from "../ports/approval-port.js";
import { expireOverdue } from "../request/expire-overdue.js";
import { queueIfComplete } from "../request/wake-up.js";
import type { Judgement } from "../verb.js";

interface OpenCall {
  outcome: "found";
  seen: DecisionSeen;
  approval: Approval;
}

/** A pending call that this person may decide, or why there is none. Its time may be over all the same. */
export function openCall(seen: DecisionSeen | undefined, principal: Principal): OpenCall | NotOpenToYou {
  const approval = seen && shownCall(seen);
  if (!approval || !maySee(approval, principal)) return { outcome: "not_found" };
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (approval.status === "proposed") return { outcome: "not_open", approval };
  if (approval.status === "expired") return { outcome: "expired", approval, wakeUp: undefined };
  if (approval.status !== "pending" || approval.held) {
    return { outcome: lostTo(approval), approval, wakeUp: undefined };
  }
  return { outcome: "found", seen, approval };
}

/** What came before somebody who acts too late. */
export function lostTo({ decision, held }: Pick<Approval, "decision" | "held">): LostTo {
  return decision || held ? "already_decided" : "withdrawn";
}

/** What whoever comes after the deadline causes: the call expires, and with it others of its request. */
export function expiredFirst(
  { request }: Pick<DecisionSeen, "request">,
  approval: Approval,
): Judgement<ExpiredFirst> {
  expireOverdue(request);
  const wakeUp = queueIfComplete(request);
  return {
    result: { outcome: "expired", approval: { ...approval, status: "expired" }, wakeUp },
    changes: request.changes(),
  };
}

/** The call stays as it is, and so does its version: nothing that others judge changes. @param due When the judgement ends. */
export function comparedOnly({ request: { now }, call }: DecisionSeen, ...due: Date[]): Changes {
  const { id, tenantId } = call.row;
  return {
    ...{ tenantId, judgedAt: now, validUntil: validUntil(now, ...due) },
    approvals: [{ id, version: call.version }],
    audited: [],
  };
}
