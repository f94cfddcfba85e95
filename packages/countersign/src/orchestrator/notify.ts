import type { Inngest } from "inngest";
import type { Approval } from "../approval/approval.js";
import { approvalEvents, callData } from "./public-events.js";

/**
 * Sends the public events about calls that run at once. Idempotent: events have ids, so a repeat after a crash counts
 * once.
 */
export async function sendNotified(inngest: Inngest.Any, approvals: readonly Approval[]): Promise<void> {
  if (approvals.length === 0) return;
  await inngest.send(
    approvals.map((approval) => ({
      id: `${approval.id}:notified`,
      name: approvalEvents.notified.name,
      data: callData(approval),
    })),
  );
}
