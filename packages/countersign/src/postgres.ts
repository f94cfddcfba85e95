import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { lastingListener } from "./store/connection/lasting-listener.js";
import { storeClient } from "./store/connection/postgres-client.js";
import { defaultWaitTimeoutMs } from "./store/connection/transaction-deadline.js";
import { createStore } from "./store/create-store.js";
import { deferredStore } from "./store/deferred-store.js";
import type { Store } from "./store/opaque-store.js";
import { storeVerbs } from "./store/store.js";

export interface PostgresStoreOptions {
  /**
   * An existing postgres.js client. It stays open when the store closes. After it loses a connection, the store
   * replaces it with its own pool with the same options. If all its connections fall silent without closing, the store
   * may have to wait until TCP reports this, because your own transactions may occupy them.
   */
  client?: postgres.Sql;
  /**
   * Connection string (`postgres://…`) of a new client.
   * @default that of the environment variable `DATABASE_URL`, read when the store is first used
   */
  url?: string | undefined;
  /** Maximum connections of a new client. @default 10 */
  max?: number;
  /**
   * Maximum milliseconds to wait for a free connection, and again for a lock, before `database_failed`. A statement may
   * run for twice as long.
   * @default 20,000
   */
  waitTimeoutMs?: number;
  /** Milliseconds by which tests shift the database clock. Only the owner of the tables may write other times than now. */
  clockOffset?: () => number;
}

/**
 * Keeps everything in Postgres, in the schema `countersign`. Connects when it is first used, so that a build can load the
 * module.
 *
 * @throws CountersignError `invalid_option` naming the option. Its first use does if there is no connection string.
 *
 * @example
 * ```ts
 * import { postgresStore } from "countersign/postgres";
 *
 * const store = postgresStore();
 * await store.migrate();
 * ```
 */
export function postgresStore(options: PostgresStoreOptions = {}): Store {
  checkOptions(options);
  if (options.client || options.url) return openStore(options);
  return deferredStore(() => storeVerbs(openStore({ ...options, url: urlOfEnvironment() })));
}

function openStore(options: PostgresStoreOptions): Store {
  const { url } = options;
  // postgres.js fetches types when a connection opens, without handling its loss. The store does not need them.
  const open = url
    ? () => postgres(url, { max: options.max ?? 10, fetch_types: false, onnotice: () => {} })
    : undefined;
  const owned = options.client ? undefined : open?.();
  const client = options.client ?? owned;
  if (!client) throw wrongUrl("url");
  // A listener on our own pool would end whenever that pool is replaced.
  const listener = lastingListener(client, owned !== undefined);
  const lasting = storeClient(client, {
    owned: owned !== undefined,
    waitTimeoutMs: options.waitTimeoutMs ?? defaultWaitTimeoutMs,
    onSilence: listener.reopen,
  });
  return createStore({
    db: drizzle({ client: lasting.sql }),
    unlimited: drizzle({ client: lasting.unlimited }),
    once: lasting.once,
    beginsReadCommitted: true,
    listen: listener.listen,
    close: async () => {
      await Promise.all([lasting.close(), listener.close()]);
    },
    clockOffset: options.clockOffset,
    waitTimeoutMs: options.waitTimeoutMs,
  });
}

/** @throws CountersignError `invalid_option` */
function checkOptions(options: unknown): void {
  const { client, url, max, waitTimeoutMs, schema }: Record<string, unknown> = { ...Object(options) };
  if (schema !== undefined) {
    throw wrongOption("schema", 'is always "countersign"; for a second Countersign, use a second database');
  }
  const hasUrl = url !== undefined && url !== "";
  if (client === undefined && hasUrl && !isPostgresUrl(url)) throw wrongUrl("url");
  if (client !== undefined && (typeof client !== "function" || !("unsafe" in client))) {
    throw wrongOption("client", "must be a postgres.js client, created with postgres(url)");
  }
  for (const [name, value] of Object.entries({ max, waitTimeoutMs })) {
    if (value === undefined || (Number.isInteger(value) && Number(value) >= 1)) continue;
    throw wrongOption(name, "must be an integer of at least 1");
  }
}

function isPostgresUrl(url: unknown): boolean {
  return typeof url === "string" && /^postgres(ql)?:\/\//.test(url);
}

function urlOfEnvironment(): string {
  const url = process.env.DATABASE_URL;
  if (url) {
    if (isPostgresUrl(url)) return url;
    throw wrongUrl("DATABASE_URL");
  }
  throw wrongOption(
    "url",
    "is missing; set the environment variable DATABASE_URL to a connection string (postgres://user@host/database), or give url or client to postgresStore()",
  );
}

/** Does not quote the URL, which holds a password. */
function wrongUrl(name: string): Error {
  return wrongOption(
    name,
    "must be a connection string (postgres://user@host/database) unless client is set",
  );
}
