import type { Channel, Store } from "countersign";
import { storeVerbs } from "countersign/internal";
import { createPushChannel } from "./push/push-channel.js";
import type { VapidKeys } from "./push/vapid-keys.js";

export type { VapidKeys } from "./push/vapid-keys.js";

export interface PushOptions extends VapidKeys {
  /** The store of the same instance. It holds the subscriptions of browsers. */
  store: Store;
}

/**
 * A channel that sends web push notifications to the browsers in which people who may decide have turned notifications on,
 * also while no page of the inbox is open. A notification opens the call in the inbox. Nobody can decide in it. Needs
 * `web-push`.
 *
 * @throws CountersignError `invalid_option`, naming the field.
 *
 * @example
 * ```ts
 * import { postgresStore } from "countersign/postgres";
 * import { pushChannel } from "@countersign/channels/push";
 *
 * const store = postgresStore({ url: process.env["DATABASE_URL"] ?? "" });
 *
 * export const channel = pushChannel({
 *   store,
 *   publicKey: process.env["VAPID_PUBLIC_KEY"] ?? "",
 *   privateKey: process.env["VAPID_PRIVATE_KEY"] ?? "",
 *   subject: "mailto:operations@example.com",
 * });
 * ```
 */
export function pushChannel({ store, ...keys }: PushOptions): Channel {
  return createPushChannel(keys, storeVerbs(store));
}
