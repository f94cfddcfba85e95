import { lookup } from "node:dns";
import { createPushChannel } from "@countersign/channels/internal";
import webPush from "web-push";
import { openPushService } from "../../channels/push/push-service.js";
import { inTurns } from "../desk-tools.js";
import type { Store } from "../store.js";
import { refundPolicy, refundsOf } from "./refunds.js";
import { openSite } from "./site.js";
import type { Visitor } from "./visitor.js";

/** A site whose host has configured push messages, and the push service of all browsers. */
export async function openPushSite() {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const service = await openPushService(publicKey);
  // The site opens the store of the channel, after the channel.
  const opened: { store?: Store } = {};
  const store = () => {
    if (!opened.store) throw new Error("The site is not open yet");
    return opened.store;
  };
  const channel = await createPushChannel(
    { publicKey, privateKey, subject: "mailto:operations@example.com" },
    {
      listPushSubscriptions: (...given) => store().listPushSubscriptions(...given),
      deletePushSubscription: (...given) => store().deletePushSubscription(...given),
    },
    { resolve: lookup, ca: service.certificate, allowPrivate: true },
  );
  const site = await openSite({
    policy: refundPolicy(),
    reply: inTurns(refundsOf(80)),
    countersign: { channels: [channel] },
    between: (its) => {
      opened.store = its;
      return its;
    },
  });
  return {
    ...{ site, service, publicKey },
    /** The stored endpoints. */
    endpoints: async () => {
      const found = await store().listPushSubscriptions("acme");
      return found.map(({ principalId, endpoint }) => ({ principalId, endpoint }));
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/**
 * For a page: subscribes to a push service of the test, because Chromium cannot reach its own here. Keeps the subscription
 * when the page is loaded again, as a browser does.
 */
export function subscribingTo(subscription: { endpoint: string }): string {
  return `{
    const given = ${JSON.stringify(subscription)};
    const name = "subscribed in this test";
    const ours = () => localStorage.getItem(name) === null ? null : {
      endpoint: given.endpoint,
      toJSON: () => given,
      unsubscribe: async () => { localStorage.removeItem(name); return true; },
    };
    PushManager.prototype.getSubscription = async () => ours();
    PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
      if (!userVisibleOnly) throw new Error("Only visible messages are allowed");
      localStorage.setItem(name, applicationServerKey);
      return ours();
    };
  }`;
}

/**
 * For a page that is not looked at: a browser without windows allows no notifications, whatever a test grants it. Notes those
 * that the page itself would show.
 */
export const allowingNotifications = `
  globalThis.noted = [];
  globalThis.Notification = class {
    static permission = "granted";
    static requestPermission = async () => "granted";
    constructor(title, { body }) { globalThis.noted.push(body); }
  };
  Document.prototype.hasFocus = () => false;`;

/** The inbox's service worker, whose notifications are kept instead of shown, for the same reason. */
export async function workerOf({ page, context }: Visitor, url: string) {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  await worker.evaluate(`
    self.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
      self.shown = [...self.shown.filter(({ tag }) => tag !== options.tag), { title, ...options }];
    };`);
  const session = await context.newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const ours = registrations.find(({ scopeURL }) => scopeURL === `${url}/`);
      if (ours) resolve(ours.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await found;
  return {
    /** Delivers a message, as the browser does when its push service has one. */
    deliver: (data: string) =>
      session.send("ServiceWorker.deliverPushMessage", {
        ...{ origin: new URL(url).origin, registrationId, data },
      }),
    shown: (): Promise<Record<string, unknown>[]> => worker.evaluate("self.shown"),
    /** Clicks the first notification, or one of its actions. */
    click: (action: string) =>
      worker.evaluate(`{
        const [data] = self.shown.map(({ data }) => data);
        const notification = { data, close: () => { self.shown = []; } };
        const event = new ExtendableEvent("notificationclick");
        // A page comes to the front only after a click of a person, so the rest of the work fails here.
        const waitUntil = (work) => void work.catch(() => undefined);
        self.dispatchEvent(Object.assign(event, { notification, action: ${JSON.stringify(action)}, waitUntil }));
      }`),
  };
}
