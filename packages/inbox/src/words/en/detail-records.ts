import { englishKind } from "@countersign/policy/internal/display/english-kind";
import { countNumber } from "../locale.js";
import { counted } from "../plural.js";
import { type KindOfCall, kindOf } from "./kind.js";

/** Texts of what is recorded about a request: the audit trail, messages of channels, and earlier requests. */
export const records = {
  trail: {
    later: (time: string) => `· ${time} later`,
    /** `who` names the approvers: "finance, lead and admin were asked". */
    asked: (who: readonly string[]) => `${listOf(who)} ${who.length === 1 ? "was" : "were"} asked`,
    alsoAsked: (who: readonly string[]) => `${listOf(who)} ${who.length === 1 ? "was" : "were"} asked too`,
    askedForUndo: (who: string) => `${who} asked for the undo`,
    askedAndAllowed: (who: string) => `${who} asked for the undo, and the rules allowed it`,
  },
  integrity: {
    states: { intact: "Verified", broken: "Verification failed", unknown: "Not verified" },
    intact: (entries: number) =>
      `Each entry has a hash of itself and of the entry before it. This browser recomputed the hashes of the ${countNumber(entries)} entries shown here, and all match.`,
    broken: (position: number) =>
      `Entry ${position} does not match its hash: it was changed after it was written. Contact your administrator.`,
    unknown:
      "This browser computes hashes only over a secure connection, so it could not verify the entries.",
    logIntact: (entries: number) =>
      `The server checked the whole audit log: all ${countNumber(entries)} entries match their hashes.`,
    logBroken: (position: number, message: string) =>
      `The server checked the whole audit log and found a problem at entry ${position}: ${message}`,
    last: (position: number) => `Last entry ${position}, hash {hash}`,
  },
  messages: {
    title: (count: number) => `Messages (${countNumber(count)})`,
    undelivered: (count: number) =>
      count === 1
        ? "A message could not be delivered"
        : `${countNumber(count)} messages could not be delivered`,
    seeReason: "See Messages below for the reason.",
    mayNotKnow: "Its recipients may not know of this.",
    sendAgain: "Send again",
    /** Follows "Send again", for screen readers. */
    to: (place: string) => `to ${place}`,
    sendingAgain: "Sending it again",
    events: {
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
    },
    inRoundup: (event: string) => `${event}, in one message with others`,
    sent: "Sent",
    sentAt: (time: string) => `Sent ${time}`,
    failed: (attempts: number) => `Failed after ${counted(attempts, "attempt", "attempts")}`,
    abandoned: "Not sent, because this was over",
    skipped: "Not sent",
    sending: "Being sent",
    updating: "Being updated",
    attemptFailed: (attempt: number) => `Attempt ${attempt} failed`,
    nextAttempt: (attempt: number, time: string) => `Attempt ${attempt} failed, next one at ${time}`,
  },
  history: {
    noOthers: (call: KindOfCall, requester: string) =>
      `First ${kindOf(call)} for ${requester} in 30 days, of those you can see`,
    /** `orMore`: there are more than were counted. */
    others: ({ label }: KindOfCall, count: number, orMore: boolean, requester: string) =>
      `${countNumber(count)}${orMore ? " or more" : ""} other ${englishKind(label, orMore ? 2 : count)} for ${requester} in 30 days`,
    approved: (count: number) => `${countNumber(count)} approved`,
    denied: (count: number) => `${countNumber(count)} denied`,
    newValue: (argument: string) => `New ${argument}: none of those approved had it`,
    /** `argument`: the name of the amount, where it has no unit. */
    times: (times: string, median: string, argument: string | undefined) =>
      `${times} × the usual ${argument === undefined ? "" : `${argument} of `}${median}`,
  },
};

function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
