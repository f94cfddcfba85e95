import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { createStore } from "./store/create-store.js";
import { migrationConfig } from "./store/migrations.js";
import { storeClient } from "./store/postgres-client.js";
import type { Store } from "./store/store.js";

export interface PostgresStoreOptions {
  /**
   * A postgres.js client that you have already; it stays open when the store closes. Once it has lost a connection, a pool of
   * the store's own with the same options takes its place.
   */
  client?: postgres.Sql;
  /** Connection string (`postgres://…`) for a new one. */
  url?: string;
  /** Connections of a new client; 10 where left out. */
  max?: number;
  /**
   * Milliseconds that anything may wait for a free connection, and as long again for a lock, before it fails with
   * `database_failed`; 20,000 where left out. A statement may run for twice as long.
   */
  patienceMs?: number;
  /** Milliseconds by which tests move the database's time. */
  clockOffset?: () => number;
}

/**
 * Keeps everything in Postgres, in the schema `countersign`.
 *
 * @throws TypeError where neither `client` nor `url` is given.
 *
 * @example
 * ```ts
 * import { postgresStore } from "countersign/postgres";
 *
 * const store = postgresStore({ url: process.env["DATABASE_URL"] ?? "" });
 * await store.migrate();
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): Store {
  const { url } = options;
  // Types that are asked for when a connection opens are asked for without a handler for its loss, and not needed.
  const open = url
    ? () => postgres(url, { max: options.max ?? 10, fetch_types: false, onnotice: () => {} })
    : undefined;
  const owned = options.client ? undefined : open?.();
  const client = options.client ?? owned;
  if (!client) throw new TypeError('postgresStore needs "client" or "url" (postgres://user@host/database)');
  const lasting = storeClient(client, owned !== undefined);
  const db = drizzle({ client: lasting.sql });
  // One of our own ends when its pool is replaced, and what listens on it would end with it.
  let listener: postgres.Sql | undefined;
  return createStore({
    db,
    beginsReadCommitted: true,
    migrate: () => migrate(drizzle({ client: forAllTenants(lasting.sql) }), migrationConfig()),
    listen: async (channel, onNotice, onListening) => {
      listener ??= owned ? open?.() : client;
      const { unlisten } = await (listener ?? client).listen(channel, onNotice, onListening);
      return unlisten;
    },
    close: async () => {
      await Promise.all([lasting.close(), owned && listener?.end({ timeout: 5 })]);
    },
    clockOffset: options.clockOffset,
    patienceMs: options.patienceMs,
  });
}

/** The client for migrations: they may change every tenant's rows, which no transaction sees without saying so. */
function forAllTenants(client: postgres.Sql): postgres.Sql {
  const begin = (work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
    client.begin(async (tx) => {
      await tx`select set_config('countersign.all_tenants', 'on', true)`;
      return work(tx);
    });
  return new Proxy(client, {
    get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)),
  });
}
