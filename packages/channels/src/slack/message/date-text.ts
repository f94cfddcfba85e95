import type { MarkupText } from "./blocks.js";

const maxUnix = 4_102_444_800;

/**
 * A time that Slack shows in the reader's zone. The words are the channel's own and the rest is a number, so nothing of
 * a call can become markup.
 */
export function dateText(
  words: "until" | "Closed" | "Undone" | "May be undone until" | "Oldest since",
  at: Date,
): MarkupText | null {
  const unix = Math.floor(at.getTime() / 1000);
  if (!(unix > 0 && unix < maxUnix)) return null;
  const inUtc = `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return {
    type: "mrkdwn",
    text: `${words} <!date^${unix}^{date_short_pretty} at {time}|${inUtc}>`,
    verbatim: true,
  };
}
