// Do not import Drizzle here: public declarations include this file.

import type { PushSubscription } from "./push-subscription.js";

/** The browsers that people have subscribed to push messages. */
export interface PushPort {
  /** The subscriptions of a tenant that an inbox has confirmed within the last 30 days, or the one with this id. */
  listPushSubscriptions(tenantId: string, id?: string): Promise<PushSubscription[]>;
  /** Deletes a subscription by its id, or a person's own by its endpoint. */
  deletePushSubscription(
    tenantId: string,
    which: { id: string } | { principalId: string; endpoint: string },
  ): Promise<void>;
  /**
   * Subscribes a browser for a person, or confirms its subscription. A browser belongs to one person: if it was another's
   * before, it no longer is. Returns false if it is another's and has other keys. The oldest subscriptions above 20 of a
   * person are deleted.
   */
  savePushSubscription(tenantId: string, subscription: Omit<PushSubscription, "id">): Promise<boolean>;
}
