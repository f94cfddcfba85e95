/** A browser of one person, to which a push service delivers messages. Its endpoint and keys are secrets. */
export interface PushSubscription {
  /** Random, so that it tells nothing about the endpoint. */
  id: string;
  principalId: string;
  /** The roles of the person when their inbox last confirmed the subscription. */
  roles: readonly string[];
  /** The address at the browser's push service. Whoever knows it and the keys can send messages to the browser. */
  endpoint: string;
  keys: PushKeys;
}

/** What messages are encrypted with (RFC 8291), as base64url. */
export interface PushKeys {
  p256dh: string;
  auth: string;
}

/** The subscriptions that a channel needs. Only those that an inbox has confirmed within the last 30 days. */
export interface PushSubscriptions {
  /** The subscriptions of a tenant, or the one with this id. */
  listPushSubscriptions(tenantId: string, id?: string): Promise<PushSubscription[]>;
  /** Deletes a subscription by its id, or a person's own by its endpoint. */
  deletePushSubscription(
    tenantId: string,
    which: { id: string } | { principalId: string; endpoint: string },
  ): Promise<void>;
}
