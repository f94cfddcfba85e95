import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import type { Change, Unsubscribe } from "./store.js";

const channel = "countersign_changes";

/**
 * Opens one LISTEN on a channel. `onListening` is called once it holds, and again whenever it had to be opened anew:
 * what was told in between is lost.
 */
export type Listen = (
  channel: string,
  onNotice: (payload: string) => void,
  onListening: () => void,
) => Promise<Unsubscribe>;

/** Listeners of this process, by tenant, on the one LISTEN that all of them share. */
export interface ChangeFeed {
  subscribe(tenantId: string, onChange: (change: Change) => void): Promise<Unsubscribe>;
  close(): Promise<void>;
}

export function createChangeFeed(listen: Listen): ChangeFeed {
  const listeners = new Map<string, Set<(change: Change) => void>>();
  let listening: Promise<Unsubscribe> | undefined;

  const tell = (payload: string) => {
    const [key = "", approvalId] = payload.split(" ");
    const change: Change = approvalId ? { kind: "viewing", approvalId } : { kind: "log" };
    for (const listener of listeners.get(key) ?? []) listener(change);
  };
  const tellAll = () => {
    for (const group of listeners.values()) for (const listener of group) listener({ kind: "log" });
  };

  return {
    async subscribe(tenantId, onChange) {
      listening ??= listen(channel, tell, tellAll);
      try {
        await listening;
      } catch (error) {
        // The next who asks tries again.
        listening = undefined;
        throw error;
      }
      const key = tenantKey(tenantId);
      const group = listeners.get(key) ?? new Set();
      listeners.set(key, group.add(onChange));
      return async () => {
        group.delete(onChange);
        if (group.size === 0) listeners.delete(key);
      };
    },
    async close() {
      listeners.clear();
      const stop = await listening?.catch(() => undefined);
      listening = undefined;
      await stop?.();
    },
  };
}

/** Tells every process, once the transaction commits, that the tenant's log has grown. */
export function noticeOfLog(tenantId: string): SQL<string> {
  return sql<string>`pg_notify(${channel}, ${tenantKey(tenantId)})::text`;
}

/** Tells every process that somebody has opened or closed a call. */
export function noticeOfViewing(tenantId: string, approvalId: string): SQL<string> {
  return sql<string>`pg_notify(${channel}, ${`${tenantKey(tenantId)} ${approvalId}`})::text`;
}

/** Short, however long the tenant's id is: a notice holds less than 8,000 bytes. */
function tenantKey(tenantId: string): string {
  return createHash("sha256").update(tenantId).digest("base64url");
}
