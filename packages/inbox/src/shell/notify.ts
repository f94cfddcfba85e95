import type { Approval } from "../api/approval.js";
import { sentenceOf } from "../logic/sentence.js";
import { visibleText } from "../logic/visible-characters.js";

/** Says on the desktop that something waits, unless the page is looked at or the reader has not allowed it. */
export function notify(approval: Approval, href: string): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  const note = new Notification("Approval needed", {
    body: visibleText(sentenceOf(approval)),
    tag: approval.id,
  });
  note.onclick = () => {
    window.focus();
    // The page itself moves, by the address that its router follows.
    window.history.pushState(null, "", href);
    note.close();
  };
}
