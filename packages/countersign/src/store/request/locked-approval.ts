import type { Principal } from "@countersign/policy/internal/shared/principal";
import { isStorable } from "@countersign/policy/internal/shared/storable-text";
import { and, eq } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { mayDecide, maySee } from "../../approval/who-decides.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import { inOrder, type Transaction } from "../database.js";
import type { ExpiredFirst, LostTo, NotOpenToYou } from "../ports/approval-port.js";
import { withVotes } from "../rows/read-approval.js";
import { approvals } from "../schema.js";
import { judgingIn } from "../verb.js";
import { expireNow } from "./expire-overdue.js";
import { type LockedRequest, lockRequestOf } from "./lock-request.js";
import { wakeUpIfComplete } from "./wake-up.js";

/** An approval without its viewers, and its request, which is locked. */
interface LockedApproval {
  request: LockedRequest;
  approval: Approval;
}

/** An approval that this principal may see, read with its request locked. */
export async function lockApproval(
  session: Transaction,
  principal: Principal,
  approvalId: string,
): Promise<LockedApproval | undefined> {
  const { tenantId } = principal;
  if (!isStorable(approvalId)) return undefined;
  const [request, [row]] = await inOrder(
    () => lockRequestOf(session, tenantId, approvalId),
    () => rowBehindLock(session, { tenantId, approvalId }),
  );
  if (!request || !row) return undefined;
  const approval = await withVotes(session, row);
  return maySee(approval, principal) ? { request, approval } : undefined;
}

const rowBehindLock = builtOnce(({ db }, value: ValueOf<"tenantId" | "approvalId">) =>
  db
    .select()
    .from(approvals)
    .where(and(eq(approvals.id, value("approvalId")), eq(approvals.tenantId, value("tenantId")))),
);

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
  if (approval.status !== "pending" || approval.held) {
    return { outcome: lostTo(approval), approval, wakeUp: undefined };
  }
  return { outcome: "found", ...locked };
}

/** What came before somebody who acts too late. */
export function lostTo({ decision, held }: Pick<Approval, "decision" | "held">): LostTo {
  return decision || held ? "already_decided" : "withdrawn";
}

/** The result of a verb that came too late. Records the expiry, and returns the wake-up that it causes. */
export async function expiredFirst(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
): Promise<ExpiredFirst> {
  await expireNow(judgingIn(session), approval.requestId);
  const wakeUp = await wakeUpIfComplete(session, request);
  return { outcome: "expired", approval: { ...approval, status: "expired" }, wakeUp };
}
