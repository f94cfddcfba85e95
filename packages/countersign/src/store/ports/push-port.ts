// Do not import Drizzle here: public declarations include this file.

import type { PushSubscription, PushSubscriptions } from "./push-subscription.js";

/** The browsers that people have subscribed to push messages. */
export interface PushPort extends PushSubscriptions {
  /**
   * Subscribes a browser for a person, or confirms its subscription. A browser belongs to one person: if it was another's
   * before, it no longer is. Returns false if it is another's and has other keys. The oldest subscriptions above 20 of a
   * person are deleted.
   */
  savePushSubscription(tenantId: string, subscription: Omit<PushSubscription, "id">): Promise<boolean>;
}
