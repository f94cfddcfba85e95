import type { Approval } from "../api/approval.js";
import { receivesPush } from "../data/browser/push-subscription.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { words } from "../words/words.js";

/**
 * Shows a desktop notification, unless the page has the focus, the reader has not allowed notifications, or a push message
 * shows it.
 */
export async function notify(approval: Approval, basePath: string): Promise<void> {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  if (await receivesPush(basePath).catch(() => false)) return;
  const note = new Notification(words.page.notification, {
    body: sentenceOf(approval),
    tag: approval.id,
  });
  note.onclick = () => {
    window.focus();
    // The router follows the address.
    window.history.pushState(null, "", `${basePath}/approvals/${approval.id}`);
    note.close();
  };
}
