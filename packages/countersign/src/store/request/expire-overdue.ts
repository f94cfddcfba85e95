import type { RequestDraft } from "../request-seen.js";
import { endHolds } from "./end-holds.js";

/**
 * `pending → expired` for the overdue calls of a request; returns their number. A decision that is held was in time, so first
 * those take effect whose time is over.
 */
export function expireOverdue(request: RequestDraft): number {
  endHolds(request);
  let expired = 0;
  for (const call of request.calls) {
    const { status, heldUntil, expiresAt, tenantId, id: approvalId, notify } = call.row;
    if (status !== "pending" || heldUntil || !expiresAt || expiresAt > request.now) continue;
    call.change({ status: "expired", finishedAt: request.now });
    request.audited.push({ tenantId, approvalId, type: "approval.expired", notify });
    expired += 1;
  }
  return expired;
}
