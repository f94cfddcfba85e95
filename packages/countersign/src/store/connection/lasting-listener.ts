import type postgres from "postgres";
import type { Listen } from "./change-feed.js";
import { sameClient } from "./lost-connections.js";

interface Subscription {
  channel: Parameters<Listen>[0];
  onNotice: Parameters<Listen>[1];
  onListening: Parameters<Listen>[2];
  /** Resolves to what ends it. */
  listening: Promise<() => Promise<unknown>>;
}

/**
 * Listens on a connection of its own: one of the store's pool would end whenever that pool is replaced. The driver opens
 * it again when it closes, but does not notice when it only falls silent.
 *
 * @param owned Whether the client is ours. Another's listens itself, and is never ended.
 */
export function lastingListener(client: postgres.Sql, owned: boolean) {
  const subscriptions = new Set<Subscription>();
  let current = owned ? undefined : client;
  const end = async (timeout: number) => {
    if (current !== client) await current?.end({ timeout });
  };
  const start = async ({ channel, onNotice, onListening }: Omit<Subscription, "listening">) => {
    current ??= sameClient(client);
    return (await current.listen(channel, onNotice, onListening)).unlisten;
  };
  /** Does not wait for the server, which may no longer answer. */
  const stop = ({ listening }: Subscription) => void listening.then((end) => end()).catch(() => {});
  const listen: Listen = async (channel, onNotice, onListening) => {
    const listener = { channel, onNotice, onListening };
    const subscription = { ...listener, listening: start(listener) };
    await subscription.listening;
    subscriptions.add(subscription);
    return async () => {
      subscriptions.delete(subscription);
      stop(subscription);
    };
  };
  return {
    listen,
    /** Gives up the connection, and listens on another. */
    reopen(): void {
      if (subscriptions.size === 0) return;
      for (const subscription of subscriptions) stop(subscription);
      void end(0);
      current = sameClient(client);
      for (const subscription of subscriptions) {
        subscription.listening = start(subscription);
        // If it fails, the driver tries again by itself.
        subscription.listening.catch(() => {});
      }
    },
    close: () => end(5),
  };
}
