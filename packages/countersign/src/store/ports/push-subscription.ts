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
