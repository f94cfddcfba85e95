import { callText } from "./call-text.js";
import { type DeskMessage, itemsOf } from "./messages.js";

/** The sentence that screen readers announce: the newest state of the latest answer. */
export function announcementOf(messages: readonly DeskMessage[]): string {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return "";
  const items = itemsOf(last);
  const latest = items.at(-1);
  if (!latest) return "";
  if (latest.kind === "text") return `The agent says: ${latest.text}`;
  const states = items.flatMap((item) => {
    if (item.kind === "text" || !item.call.approval) return [];
    const { summary, refused } = item.call.approval;
    return [`${summary}. ${refused ?? callText(item.call.approval).text}`];
  });
  return states.join(" ");
}
