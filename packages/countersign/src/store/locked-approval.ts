import type { Approval } from "../approval/approval.js";
import { mayDecide, maySee } from "../approval/who-decides.js";
import type { Principal } from "../principal.js";
import type { Transaction } from "./database.js";
import { readVoted } from "./read-approval.js";
import { expireOverdue, type LockedRequest, lockRequestOf, wakeUpIfComplete } from "./request.js";
import type { NotOpenToYou, RanOut } from "./store.js";

/** An approval that this principal may know of, as it is once its request is locked; not who has it open. */
export async function lockApproval(
  session: Transaction,
  principal: Principal,
  approvalId: string,
): Promise<{ request: LockedRequest; approval: Approval } | undefined> {
  const request = await lockRequestOf(session, principal.tenantId, approvalId);
  const approval = request && (await readVoted(session, principal.tenantId, approvalId));
  return approval && maySee(approval, principal) ? { request, approval } : undefined;
}

/**
 * A pending call that this principal may decide, with the lock of its request; or why there is none. Its time may
 * still have run out: the verb's own update sees to that.
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

/** True where this principal asked for a call whose rule wants somebody else to let it run. */
export function isOwn({ requesterId, terms }: Approval, principalId: string | null): boolean {
  return terms.requesterMayNotApprove && requesterId !== null && requesterId === principalId;
}

/** What a verb answers that came too late: writes down what ran out, and says whom that wakes. */
export async function ranOut(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
): Promise<RanOut> {
  await expireOverdue(session, approval.requestId);
  const wakeUp = await wakeUpIfComplete(session, request);
  return { outcome: "expired", approval: { ...approval, status: "expired" }, wakeUp };
}
