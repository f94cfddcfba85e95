/** The subscription of this browser to push messages, or `null`. Apart, because the first view needs no more than this. */
export async function pushSubscription(basePath: string): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker?.getRegistration(`${basePath}/`);
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** When the server last confirmed this browser's subscription in this session, in milliseconds, by base path. */
export const confirmations = new Map<string, number>();

/** Whether a push message will tell about the next call. A subscription alone may be one that the server has deleted. */
export async function receivesPush(basePath: string): Promise<boolean> {
  return confirmations.has(basePath) && (await pushSubscription(basePath)) !== null;
}
