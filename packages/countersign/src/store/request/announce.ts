import type { Approval } from "../../approval/approval.js";
import { maxExtensionMs } from "../../approval/extension.js";
import { requestReading } from "../request-seen.js";
import { approvalFromRow } from "../rows/approval-row.js";
import type { Judge } from "../verb.js";
import { beginRound } from "./wake-up.js";

export function announce(judging: Judge, requestId: string): Promise<Approval[]> {
  return judging(requestReading(requestId), (request) => {
    if (!request) return { result: [] };
    const { now, calls } = request;
    for (const call of calls) {
      if (call.row.status !== "proposed") continue;
      const expiresAt = new Date(now.getTime() + call.row.timeoutMs);
      call.change({ status: "pending", announcedAt: now, expiresAt });
      const { tenantId, id: approvalId, notify, awaitedEventId } = call.row;
      const proofUntil = lastDeadline(approvalFromRow(call.row), expiresAt).toISOString();
      const sentByRun = awaitedEventId === null;
      const type = "approval.announced";
      request.audited.push({ tenantId, approvalId, type, notify, data: { proofUntil }, sentByRun });
    }
    beginRound(request, 0);
    return { result: calls.map(({ row }) => approvalFromRow(row)), changes: request.changes() };
  });
}

/** When a call expires if its time is extended as often and by as much as its rule allows. */
function lastDeadline({ timeoutMs, terms }: Approval, expiresAt: Date): Date {
  return new Date(expiresAt.getTime() + terms.extensions * maxExtensionMs({ timeoutMs }));
}
