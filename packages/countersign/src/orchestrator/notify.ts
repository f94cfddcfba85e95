import type { Inngest } from "inngest";
import type { Approval } from "../approval/approval.js";
import type { Store } from "../store/store.js";
import { approvalEvents, callData } from "./public-events.js";
import { sendAtDatabaseTime } from "./send-at.js";

/**
 * Sends the public events about calls that run at once. Idempotent: events have ids, so a repeat after a crash counts
 * once.
 */
export async function sendNotified(
  inngest: Inngest.Any,
  store: Store,
  approvals: readonly Approval[],
): Promise<void> {
  if (approvals.length === 0) return;
  await sendAtDatabaseTime(
    inngest,
    store,
    approvals.map((approval) => ({
      id: `${approval.id}:notified`,
      name: approvalEvents.notified.name,
      data: callData(approval),
    })),
  );
}
