import type { Inngest } from "inngest";
import type { Approval } from "../approval/approval.js";
import { events } from "./events.js";

/** Tells the world of calls that run at once; sent again after a crash, each event still counts once. */
export async function sendNotified(inngest: Inngest.Any, approvals: readonly Approval[]): Promise<void> {
  if (approvals.length === 0) return;
  await inngest.send(
    approvals.map(({ id, requestId, toolName, threadId }) => ({
      id: `${id}:notified`,
      name: events.callNotified,
      data: { approvalId: id, requestId, toolName, threadId },
    })),
  );
}
