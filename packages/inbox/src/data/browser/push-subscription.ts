/** The subscription of this browser to push messages, or `null`. Apart, because the first view needs no more than this. */
export async function pushSubscription(basePath: string): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker?.getRegistration(`${basePath}/`);
  return (await registration?.pushManager?.getSubscription()) ?? null;
}
