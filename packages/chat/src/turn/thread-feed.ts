import { createRepeatableRead } from "@countersign/policy/internal/shared/repeatable-read";
import { createSharedResources } from "@countersign/policy/internal/shared/shared-resources";
import { threadKey } from "@countersign/policy/internal/shared/thread-key";
import type { StoreVerbs } from "countersign/internal";
import type { ThreadFeed } from "./follow-chat.js";

type FeedStore = Pick<StoreVerbs, "subscribe" | "auditPosition" | "threadsChangedSince">;

/** Creates a feed. All open chats of one tenant share one subscription, and one query for each batch of changes. */
export function createThreadFeed(store: FeedStore): ThreadFeed {
  const share = createSharedResources((tenantId) => openTenant(store, tenantId));
  return {
    async follow(tenantId, threadId, onChange) {
      const { resource, leave } = await share(tenantId);
      resource.add(threadId, onChange);
      return async () => {
        resource.remove(threadId, onChange);
        await leave();
      };
    },
  };
}

interface TenantFeed {
  add(threadId: string, onChange: () => void): void;
  remove(threadId: string, onChange: () => void): void;
  close(): Promise<void>;
}

async function openTenant(store: FeedStore, tenantId: string): Promise<TenantFeed> {
  const listeners = new Map<string, Set<() => void>>();
  const notify = (key: string) => {
    for (const listener of listeners.get(key) ?? []) listener();
  };
  let position = await store.auditPosition(tenantId);
  const log = createRepeatableRead(async () => {
    const changed = await store.threadsChangedSince(tenantId, position);
    position = changed.position;
    for (const threadId of changed.threadIds) notify(threadKey(threadId));
  });
  const unsubscribe = await store.subscribe(tenantId, (change) => {
    if (change.kind === "thread") notify(change.threadKey);
    // Notices may have been lost, and new messages are not in the log.
    if (change.kind === "log" && change.missed) for (const key of listeners.keys()) notify(key);
    if (change.kind === "log") log.read();
  });
  return {
    add(threadId, onChange) {
      const key = threadKey(threadId);
      listeners.set(key, (listeners.get(key) ?? new Set()).add(onChange));
    },
    remove(threadId, onChange) {
      const key = threadKey(threadId);
      const group = listeners.get(key);
      group?.delete(onChange);
      if (group?.size === 0) listeners.delete(key);
    },
    async close() {
      log.close();
      await unsubscribe();
    },
  };
}
