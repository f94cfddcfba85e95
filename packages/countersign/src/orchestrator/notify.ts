import type { Inngest } from "inngest";
import type { Approval } from "../approval/approval.js";
import { events } from "./events.js";
import { patiently } from "./wake.js";

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

/** Tells the world what a person found out about a cut-off call; the record stands, also where nobody hears of it. */
export async function sendResolved(inngest: Inngest.Any, approval: Approval): Promise<void> {
  const { id, requestId, toolName, threadId } = approval;
  const event = {
    id: `${id}:resolved`,
    name: events.approvalResolved,
    data: { approvalId: id, requestId, toolName, threadId },
  };
  await patiently(inngest.send(event), `the event that ${id} was resolved`);
}
