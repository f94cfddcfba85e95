// Shows push messages as notifications, also while no page of the inbox is open. Nothing can be decided in a notification:
// its actions open the call.
import { exactTime } from "../logic/wording/exact-time.js";
import { languageParameter } from "../words/choose-language.js";
import { de } from "../words/de/index.js";
import { speak, words } from "../words/words.js";

/** A message as `pushChannel()` sends it. */
interface PushMessage {
  approvalId: string;
  title: string;
  risk: "low" | "medium" | "high" | "critical";
  expiresAt: string | null;
}

interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface PushEvent extends ExtendableEvent {
  data: { json(): PushMessage } | null;
}

interface NotificationEvent extends ExtendableEvent {
  action: string;
  notification: { data: { approvalId: string }; close(): void };
}

interface WindowClient {
  url: string;
  focused: boolean;
  focus(): Promise<WindowClient>;
  postMessage(message: { openCall: string }): void;
}

/** What this script uses of `ServiceWorkerGlobalScope`, whose types cannot be loaded beside those of pages. */
declare const self: {
  location: { href: string };
  registration: {
    scope: string;
    showNotification(title: string, options: object): Promise<void>;
  };
  clients: {
    matchAll(options: { type: "window"; includeUncontrolled: true }): Promise<WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: "push", listener: (event: PushEvent) => void): void;
  addEventListener(type: "notificationclick", listener: (event: NotificationEvent) => void): void;
};

// The language of the page that registered this script. All are in this one file.
if (new URL(self.location.href).searchParams.get(languageParameter) === "de") speak(de);

/** The open pages of the inbox, those with the focus first. */
async function pages(): Promise<WindowClient[]> {
  const all = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const inbox = self.registration.scope.replace(/\/$/, "");
  return all
    .filter(({ url }) => url === inbox || /^[/?#]/.test(url.startsWith(inbox) ? url.slice(inbox.length) : ""))
    .sort((a, b) => Number(b.focused) - Number(a.focused));
}

async function show({ approvalId, title, risk, expiresAt }: PushMessage): Promise<void> {
  // A notification stays as it is, so it cannot count the time that is left.
  const until = expiresAt === null ? [] : [words.page.push.until(exactTime(expiresAt, Date.now(), "minute"))];
  const [page] = await pages();
  await self.registration.showNotification(title, {
    body: [words.page.push.risk[risk], ...until].join(" · "),
    // A reminder replaces the first notification about the call, and is noticed too.
    tag: approvalId,
    renotify: true,
    // Browsers do not accept a message without a notification, even if its person is looking at the inbox.
    ...(page?.focused && { silent: true, renotify: false }),
    data: { approvalId },
    actions: [
      { action: "deny", title: words.page.push.deny },
      { action: "open", title: words.page.push.open },
    ],
  });
}

async function open(approvalId: string, action: string): Promise<void> {
  const path = `approvals/${encodeURIComponent(approvalId)}${action === "deny" ? "?deny" : ""}`;
  const { href } = new URL(path, self.registration.scope);
  const [page] = await pages();
  if (!page) {
    await self.clients.openWindow(href);
    return;
  }
  // The page goes there itself, so that it is not loaded again and keeps what its reader has typed.
  page.postMessage({ openCall: href });
  await page.focus();
}

self.addEventListener("push", (event) => {
  if (event.data) event.waitUntil(show(event.data.json()));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.approvalId, event.action));
});
