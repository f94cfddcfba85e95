import { ApprovalsApiError, type ApprovalsClient } from "countersign/client";
import { languageParameter } from "../../words/choose-language.js";
import { spoken } from "../inbox/set-inbox-language.js";
import { confirmations, pushSubscription } from "./push-subscription.js";

/** Names the stored person whose notifications this browser shows for an inbox. */
const storageName = (basePath: string) => `countersign-push:${basePath}`;

export interface PushOwner {
  api: ApprovalsClient;
  /** Address of the inbox, which serves the service worker. */
  basePath: string;
  /** Names the signed-in person in this browser. */
  person: string;
}

type Inbox = Pick<PushOwner, "api" | "basePath">;

/** Subscribes this browser to push messages. Returns false if the browser or the server has none. */
export async function subscribeToPush({ api, basePath, person }: PushOwner): Promise<boolean> {
  if (!("serviceWorker" in navigator && "PushManager" in window)) return false;
  const { publicKey } = await api.getPush();
  if (publicKey === null) {
    await endLocally(basePath, await pushSubscription(basePath));
    return false;
  }
  const registration = await navigator.serviceWorker.register(
    `${basePath}/service-worker.js?${languageParameter}=${spoken.get().language}`,
    { scope: `${basePath}/` },
  );
  await untilActive(registration);
  const subscription = await subscriptionOf(registration.pushManager, publicKey);
  const { endpoint = "", keys = {} } = subscription.toJSON();
  const { p256dh = "", auth = "" } = keys;
  try {
    await api.subscribeToPush({ body: { endpoint, keys: { p256dh, auth } } });
  } catch (error) {
    const isRefused = error instanceof ApprovalsApiError && error.status < 500;
    if (isRefused) await endLocally(basePath, subscription);
    throw error;
  }
  confirmations.set(basePath, Date.now());
  localStorage.setItem(storageName(basePath), person);
  return true;
}

/** Ends the subscription of this browser, if it has one. */
export async function unsubscribeFromPush({ api, basePath }: Inbox): Promise<void> {
  const subscription = await pushSubscription(basePath);
  if (subscription) {
    const ended = endLocally(basePath, subscription);
    // Nobody waits for the server: without it, the push service tells it at the next message.
    void api.unsubscribeFromPush({ body: { endpoint: subscription.endpoint } }).catch(() => undefined);
    await ended;
  }
  // Last, so that the next visit tries again if the browser could not end its subscription.
  localStorage.removeItem(storageName(basePath));
}

/** Ends the subscription in this browser alone, so that the open page notifies by itself. */
async function endLocally(basePath: string, subscription: PushSubscription | null): Promise<void> {
  confirmations.delete(basePath);
  await subscription?.unsubscribe();
}

const dayMs = 24 * 60 * 60 * 1000;

/** Confirms the subscription if the server has not done so for a day, or at all. */
export async function confirmOldPush(owner: PushOwner): Promise<void> {
  if (Date.now() - (confirmations.get(owner.basePath) ?? 0) > dayMs) await confirmPush(owner);
}

/** Confirms the subscription of this browser, or ends it if it is another person's or no longer allowed. */
export async function confirmPush(owner: PushOwner): Promise<void> {
  const before = localStorage.getItem(storageName(owner.basePath));
  if (before === null) return;
  const isTheirs = before === owner.person && Notification.permission === "granted";
  await (isTheirs ? subscribeToPush(owner) : unsubscribeFromPush(owner));
}

async function subscriptionOf(manager: PushManager, publicKey: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  try {
    return await manager.subscribe(options);
  } catch (error) {
    const before = await manager.getSubscription();
    if (!before) throw error;
    // The host has changed its keys.
    await before.unsubscribe();
    return manager.subscribe(options);
  }
}

async function untilActive({ active, installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting;
  if (active || !worker) return;
  await new Promise<void>((resolve) => {
    const check = () => {
      if (worker.state === "activated" || worker.state === "redundant") resolve();
    };
    worker.addEventListener("statechange", check);
    check();
  });
}
