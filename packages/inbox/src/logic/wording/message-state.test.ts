import { expect, it } from "vitest";
import { exactTime } from "./exact-time.js";
import { messageEvent, messagePlace, messageState } from "./message-state.js";

const at = "2026-11-23T12:00:00.000Z";
const now = Date.parse(at);
const progress = { attempts: 1, nextAttemptAt: null, lastError: null, sentAt: null } as const;

it.each([
  [{ state: "due", attempts: 0 }, "Being sent"],
  [{ state: "due", sentAt: at }, "Being updated"],
  [
    { state: "due", attempts: 2, lastError: "down", nextAttemptAt: at },
    `Attempt 2 failed, next one at ${exactTime(at, now)}`,
  ],
  [{ state: "sent", sentAt: at }, `Sent ${exactTime(at, now)}`],
  [{ state: "failed" }, "Failed after 1 attempt"],
  [{ state: "failed", attempts: 33 }, "Failed after 33 attempts"],
  [{ state: "abandoned" }, "Not sent, because this was over"],
] as const)("messageState describes a message with %j as %s", (changes, text) => {
  expect(messageState({ ...progress, ...changes }, now)).toBe(text);
});

it("messagePlace and messageEvent name a message's recipient and its event", () => {
  expect(messagePlace({ channel: "slack", target: "#finance", recipient: "C1" })).toBe("slack, C1");
  expect(messagePlace({ channel: "slack", target: "#finance", recipient: null })).toBe("slack, #finance");
  expect(messagePlace({ channel: "email", target: null, recipient: null })).toBe("email");
  expect(messageEvent({ event: "approval.pending", inRoundup: true })).toBe(
    "Waiting for a decision, in one message with others",
  );
});
