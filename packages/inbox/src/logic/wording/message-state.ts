import type { Message } from "../../api/records.js";
import { exactTime } from "./exact-time.js";

const events: Record<Message["event"], string> = {
  "approval.pending": "Waiting for a decision",
  "approval.reminded": "Reminder",
  "approval.escalated": "Escalation",
  "approval.assigned": "Assignment",
  "approval.voted": "Vote",
  "approval.extended": "More time",
  "approval.decided": "Decision",
  "approval.expired": "Expired",
  "approval.withdrawn": "Withdrawn",
  "approval.started": "Started",
  "approval.finished": "Ended",
  "approval.undone": "Undone",
};

/** What a message reports, such as "Reminder". */
export function messageEvent({ event, inRoundup }: Pick<Message, "event" | "inRoundup">): string {
  return inRoundup ? `${events[event]}, in one message with other calls` : events[event];
}

/** Where a message goes: "slack, #finance". */
export function messagePlace({
  channel,
  target,
  recipient,
}: Pick<Message, "channel" | "target" | "recipient">): string {
  const to = recipient ?? target;
  return to === null ? channel : `${channel}, ${to}`;
}

type Progress = Pick<Message, "state" | "attempts" | "nextAttemptAt" | "lastError" | "sentAt">;

/** The state of a message: "Sent 14:03:12", "Failed after 3 attempts". */
export function messageState(
  { state, attempts, nextAttemptAt, lastError, sentAt }: Progress,
  nowMs: number = Date.now(),
): string {
  switch (state) {
    case "sent":
      return sentAt === null ? "Sent" : `Sent ${exactTime(sentAt, nowMs)}`;
    case "failed":
      return `Failed after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
    case "abandoned":
      return "Not sent, because the call was over";
    case "skipped":
      return "Not sent";
    case "due":
      if (lastError === null || attempts === 0) return sentAt === null ? "Being sent" : "Being updated";
      return nextAttemptAt === null
        ? `Attempt ${attempts} failed`
        : `Attempt ${attempts} failed, next one at ${exactTime(nextAttemptAt, nowMs)}`;
  }
}
