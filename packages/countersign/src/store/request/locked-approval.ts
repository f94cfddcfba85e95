import type { Approval } from "../../approval/approval.js";
import { mayDecide, maySee } from "../../approval/who-decides.js";
import type { Principal } from "../../shared/principal.js";
import { inOrder, type Transaction } from "../database.js";
import type { ExpiredFirst, NotOpenToYou } from "../ports/approval-port.js";
import { readVoted } from "../rows/read-approval.js";
import { expireOverdue } from "./expire-overdue.js";
import { type LockedRequest, lockRequestOf } from "./lock-request.js";
import { wakeUpIfComplete } from "./wake-up.js";

/**
 * An approval that this principal may see, read with its request locked and without its viewers.
 */
export async function lockApproval(
  session: Transaction,
  principal: Principal,
  approvalId: string,
): Promise<{ request: LockedRequest; approval: Approval } | undefined> {
  const { tenantId } = principal;
  const [request, approval] = await inOrder(
    () => lockRequestOf(session, tenantId, approvalId),
    () => readVoted(session, tenantId, approvalId),
  );
  return request && approval && maySee(approval, principal) ? { request, approval } : undefined;
}

/**
 * A pending call that this principal may decide, with its request locked, or why there is none. It may still have
 * expired: the verb's own update checks that.
 */
export async function lockPending(
  session: Transaction,
  principal: Principal,
  approvalId: string,
): Promise<{ outcome: "found"; request: LockedRequest; approval: Approval } | NotOpenToYou> {
  const locked = await lockApproval(session, principal, approvalId);
  if (!locked) return { outcome: "not_found" };
  const { approval } = locked;
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (approval.status === "proposed") return { outcome: "not_open", approval };
  if (approval.status === "expired") return { outcome: "expired", approval, wakeUp: undefined };
  if (approval.status !== "pending") return { outcome: "lost", approval, wakeUp: undefined };
  return { outcome: "found", ...locked };
}

/** The result of a verb that came too late. Records the expiry, and returns the wake-up that it causes. */
export async function expiredFirst(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
): Promise<ExpiredFirst> {
  await expireOverdue(session, approval.requestId);
  const wakeUp = await wakeUpIfComplete(session, request);
  return { outcome: "expired", approval: { ...approval, status: "expired" }, wakeUp };
}
