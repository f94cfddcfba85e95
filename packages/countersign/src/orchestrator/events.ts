import { z } from "zod";

/** Names of the events that Countersign sends; none of them carries arguments or authority. */
export const events = {
  /** Starts the orchestrator; sent by `step.invoke`. */
  requestOpened: "countersign/request.opened",
  /** Tells a waiting run to look at the database. */
  wakeUp: "countersign/request.wake-up",
  /** Public: a call waits for a person. */
  approvalPending: "countersign/approval.pending",
  /** Public: a call still waits; perhaps further roles may now decide. */
  approvalReminder: "countersign/approval.reminder",
  /** Public: a person recorded what became of a call that was cut off. */
  approvalResolved: "countersign/approval.resolved",
  /** Public: a call runs that the policy wants people to know of. */
  callNotified: "countersign/call.notified",
} as const;

export const requestOpenedData = z.object({ requestId: z.string().min(1) });

/** What a wake-up must say to be let through; a string for CEL, whose quoting JSON's fits. */
export function wakeUpCondition(requestId: string, token: string): string {
  return `async.data.requestId == ${JSON.stringify(requestId)} && async.data.token == ${JSON.stringify(token)}`;
}
