import { createHash } from "node:crypto";
import { threadKey } from "@countersign/policy/internal/shared/thread-key";
import { type SQL, sql } from "drizzle-orm";
import type { Change, Unsubscribe } from "../ports/audit-port.js";

const channel = "countersign_changes";

/** Stands for all tenants in the place of a tenant's key. Keys are longer, so it cannot be one. */
const everyTenant = "*";
/** Stands for a change of stops in the place of an approval's id. Ids are longer, so it cannot be one. */
const stopsNotice = "stops";
/** Prefix of a thread's key in the place of an approval's id. */
const threadNotice = "thread:";

/**
 * Opens one LISTEN on a channel. `onListening` is called when it is open, and after each reconnect: notices in between
 * are lost.
 */
export type Listen = (
  channel: string,
  onNotice: (payload: string) => void,
  onListening: () => void,
) => Promise<Unsubscribe>;

/** Listeners of this process, by tenant, which all share one LISTEN. */
export interface ChangeFeed {
  subscribe(tenantId: string, onChange: (change: Change) => void): Promise<Unsubscribe>;
  close(): Promise<void>;
}

export function createChangeFeed(listen: Listen): ChangeFeed {
  const listeners = new Map<string, Set<(change: Change) => void>>();
  let listening: Promise<Unsubscribe> | undefined;

  const onNotice = (payload: string) => {
    const [key = "", about] = payload.split(" ");
    const change: Change =
      about === undefined
        ? { kind: "log" }
        : about === stopsNotice
          ? { kind: "stops" }
          : about.startsWith(threadNotice)
            ? { kind: "thread", threadKey: about.slice(threadNotice.length) }
            : { kind: "viewing", approvalId: about };
    if (key === everyTenant) return notifyAll(change);
    for (const listener of listeners.get(key) ?? []) listener(change);
  };
  const notifyAll = (change: Change) => {
    for (const group of listeners.values()) for (const listener of group) listener(change);
  };

  return {
    async subscribe(tenantId, onChange) {
      listening ??= listen(channel, onNotice, () => notifyAll({ kind: "log", missed: true }));
      try {
        await listening;
      } catch (error) {
        // The next subscriber tries again.
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

/** Notifies every process, once the transaction commits, that the tenant's log has grown. */
export function noticeOfLog(tenantId: string): SQL<string> {
  return sql<string>`pg_notify(${channel}, ${tenantKey(tenantId)})::text`;
}

/** Notifies every process that somebody has opened or closed a call. */
export function noticeOfViewing(tenantId: string, approvalId: string): SQL<string> {
  return sql<string>`pg_notify(${channel}, ${`${tenantKey(tenantId)} ${approvalId}`})::text`;
}

/** Notifies every process that a thread has a new message or another status. */
export function noticeOfThread(tenantId: string, threadId: string): SQL<string> {
  return sql<string>`pg_notify(${channel}, ${`${tenantKey(tenantId)} ${threadNotice}${threadKey(threadId)}`})::text`;
}

/** Notifies every process that a stop was engaged or released; `null` means a stop for all tenants. */
export function noticeOfStops(tenantId: string | null): SQL<string> {
  const key = tenantId === null ? everyTenant : tenantKey(tenantId);
  return sql<string>`pg_notify(${channel}, ${`${key} ${stopsNotice}`})::text`;
}

/** Short, however long the tenant's id is: a notice holds less than 8,000 bytes. */
function tenantKey(tenantId: string): string {
  return createHash("sha256").update(tenantId).digest("base64url");
}
