import type { Approval } from "../api/approval.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";

/** Shows a desktop notification, unless the page has the focus or the reader has not allowed notifications. */
export function notify(approval: Approval, href: string): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  const note = new Notification(words.page.notification, {
    body: sentenceOf(approval),
    tag: approval.id,
  });
  note.onclick = () => {
    window.focus();
    // The router follows the address.
    window.history.pushState(null, "", href);
    note.close();
  };
}
