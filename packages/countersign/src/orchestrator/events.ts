import * as z from "zod";

/** Names of the events that Countersign sends to its own functions. None of them carries arguments or authority. */
export const events = {
  /** Starts the orchestrator; sent by `step.invoke`. */
  requestOpened: "countersign/request.opened",
  /** Makes a waiting run read the database. */
  wakeUp: "countersign/request.wake-up",
  /** Makes the deliver function attempt a delivery. */
  deliveryDue: "countersign/delivery.due",
  /** Starts the undo of a call. */
  undoRequested: "countersign/undo.requested",
  /** Lets the undo behind the one that is over run. */
  undoOver: "countersign/undo.over",
  /** Starts a canary run. */
  canaryStarted: "countersign/canary.started",
  /** Checks whether a canary run is still there. */
  canaryCheck: "countersign/canary.check",
  /** A canary run's answer. */
  canaryAnswer: "countersign/canary.answer",
} as const;

/** The data of {@link events} that start a function for a request. */
export const requestOpenedData = z.object({ requestId: z.string().min(1) });

/** What a run says that invokes the orchestrator, and waits for it. */
export const waitData = requestOpenedData.extend({
  /** Milliseconds until the first reminder, escalation or expiry of one of the calls. */
  deadlineMs: z.number(),
});

export type WaitData = z.infer<typeof waitData>;

/** An instance of Countersign: the id of its Inngest client, and its own. */
export interface InstanceName {
  appId: string;
  instanceId: string;
}

/** The CEL condition for the start of an undo that this instance has proposed. */
export function undoRequestedCondition({ appId, instanceId }: InstanceName): string {
  return `event.data.appId == ${JSON.stringify(appId)} && event.data.instanceId == ${JSON.stringify(instanceId)}`;
}

/** The CEL condition for the end of an undo. */
export function undoOverCondition(approvalId: string): string {
  return `async.data.approvalId == ${JSON.stringify(approvalId)}`;
}
