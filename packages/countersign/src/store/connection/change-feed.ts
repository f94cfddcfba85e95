import { createHash } from "node:crypto";
import { threadKey } from "@countersign/policy/internal/shared/thread-key";
import { type SQL, sql } from "drizzle-orm";
import type { Change, Unsubscribe } from "../ports/audit-port.js";

const changesChannel = "countersign_changes";

/** Milliseconds between two looks for changes whose notice may have been lost with its process. */
const lookMs = 2_000;

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

/** The position of the newest entry in the logs of these tenants; a tenant without a log is left out. */
export type ReadPositions = (
  tenantIds: readonly string[],
) => Promise<{ tenantId: string; position: number }[]>;

interface Followed {
  tenantId: string;
  listeners: Set<(change: Change) => void>;
  /** The position of the log at the last look. */
  position?: number;
}

/**
 * Hears of changes by notices. A process that ends right after a commit does not send its notice, so the feed also looks
 * for itself whether a log that is followed has grown.
 */
export function createChangeFeed(listen: Listen, readPositions: ReadPositions): ChangeFeed {
  const followed = new Map<string, Followed>();
  let listening: Promise<Unsubscribe> | undefined;
  let looking: NodeJS.Timeout | undefined;
  let isClosed = false;

  const notify = (key: string, change: Change) => {
    for (const listener of followed.get(key)?.listeners ?? []) listener(change);
  };
  const notifyAll = (change: Change) => {
    for (const key of followed.keys()) notify(key, change);
  };
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
    notify(key, change);
  };
  const look = async () => {
    const positions = await readPositions([...followed.values()].map(({ tenantId }) => tenantId));
    for (const { tenantId, position } of positions) {
      const key = tenantKey(tenantId);
      const tenant = followed.get(key);
      if (!tenant || tenant.position === position) continue;
      tenant.position = position;
      notify(key, { kind: "log" });
    }
  };
  const lookLater = () => {
    const timer = setTimeout(async () => {
      // A database that does not answer is reported by whoever needs the answer.
      await look().catch(() => {});
      // Meanwhile the last subscriber may have left, and another one come.
      if (looking === timer) lookLater();
    }, lookMs);
    looking = timer.unref();
  };
  const stopLooking = () => {
    clearTimeout(looking);
    looking = undefined;
  };

  return {
    async subscribe(tenantId, onChange) {
      listening ??= listen(changesChannel, onNotice, () => notifyAll({ kind: "log", missed: true }));
      try {
        await listening;
      } catch (error) {
        // The next subscriber tries again.
        listening = undefined;
        throw error;
      }
      if (isClosed) return async () => {};
      const key = tenantKey(tenantId);
      const tenant = followed.get(key) ?? { tenantId, listeners: new Set() };
      tenant.listeners.add(onChange);
      followed.set(key, tenant);
      if (!looking) lookLater();
      return async () => {
        tenant.listeners.delete(onChange);
        if (tenant.listeners.size === 0 && followed.get(key) === tenant) followed.delete(key);
        if (followed.size === 0) stopLooking();
      };
    },
    async close() {
      isClosed = true;
      followed.clear();
      stopLooking();
      const stop = await listening?.catch(() => undefined);
      listening = undefined;
      await stop?.();
    },
  };
}

/** Sends notices to every process. Needs no transaction of its own, nor a search path: it names what it calls. */
export function noticesOf(payloads: readonly string[]): SQL {
  return sql`select pg_catalog.pg_notify(${changesChannel}, payload)
    from pg_catalog.json_array_elements_text(${JSON.stringify(payloads)}::pg_catalog.json) payload`;
}

/** Says that a tenant's log has grown. */
export function logNotice(tenantId: string): string {
  return tenantKey(tenantId);
}

/** Says that somebody has opened or closed a call. If it is lost, others see that with the next change. */
export function viewingNotice(tenantId: string, approvalId: string): string {
  return `${tenantKey(tenantId)} ${approvalId}`;
}

/**
 * Notifies every process, once the transaction commits, that a thread has a new message or another status. Unlike the
 * log, a thread has no position by which a lost notice could be made up for.
 */
export function noticeOfThread(tenantId: string, threadId: string): SQL<string> {
  return sql<string>`pg_notify(${changesChannel}, ${`${tenantKey(tenantId)} ${threadNotice}${threadKey(threadId)}`})::text`;
}

/**
 * Notifies every process, once the transaction commits, that a stop was engaged or released; `null` means a stop for all
 * tenants.
 */
export function noticeOfStops(tenantId: string | null): SQL<string> {
  const key = tenantId === null ? everyTenant : tenantKey(tenantId);
  return sql<string>`pg_notify(${changesChannel}, ${`${key} ${stopsNotice}`})::text`;
}

/** Short, however long the tenant's id is: a notice holds less than 8,000 bytes. */
function tenantKey(tenantId: string): string {
  return createHash("sha256").update(tenantId).digest("base64url");
}
