import type { Message } from "../../api/records.js";
import { words } from "../../words/words.js";
import { exactTime } from "./exact-time.js";

/** What a message reports, such as "Reminder". */
export function messageEvent({ event, inRoundup }: Pick<Message, "event" | "inRoundup">): string {
  const { messages } = words.detail.records;
  return inRoundup ? messages.inRoundup(messages.events[event]) : messages.events[event];
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
  const { messages } = words.detail.records;
  switch (state) {
    case "sent":
      return sentAt === null ? messages.sent : messages.sentAt(exactTime(sentAt, nowMs));
    case "failed":
      return messages.failed(attempts);
    case "abandoned":
      return messages.abandoned;
    case "skipped":
      return messages.skipped;
    case "due":
      if (lastError === null || attempts === 0) return sentAt === null ? messages.sending : messages.updating;
      return nextAttemptAt === null
        ? messages.attemptFailed(attempts)
        : messages.nextAttempt(attempts, exactTime(nextAttemptAt, nowMs));
  }
}
