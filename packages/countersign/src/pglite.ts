import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import { createStore } from "./store/create-store.js";
import { migrationConfig } from "./store/migrations.js";
import type { Store } from "./store/store.js";

export interface PgliteStoreOptions {
  /** A PGlite that you have already; it stays open when the store closes. */
  client?: PGlite;
  /** Folder for a new one, or `"memory://"` (the default). */
  dataDir?: string;
  /** Milliseconds by which tests move the database's time. */
  clockOffset?: () => number;
}

/**
 * Keeps everything in PGlite: Postgres inside this process. For development and small single-process use; its one
 * connection means that nothing about races can be learned from it.
 *
 * @example
 * ```ts
 * import { pgliteStore } from "countersign/pglite";
 *
 * const store = pgliteStore({ dataDir: ".data/countersign" });
 * await store.migrate();
 * ```
 */
export function pgliteStore(options: PgliteStoreOptions = {}): Store {
  const owned = options.client ? undefined : new PGlite(options.dataDir ?? "memory://");
  const client = options.client ?? owned;
  if (!client) throw new TypeError("unreachable");
  const db = drizzle({ client });
  return createStore({
    db,
    beginsReadCommitted: false,
    migrate: () => migrate(db, migrationConfig()),
    // A connection inside this process is never lost, so nothing is ever missed.
    listen: async (channel, onNotice) => {
      const stop = await client.listen(channel, onNotice);
      return () => stop();
    },
    close: async () => owned?.close(),
    clockOffset: options.clockOffset,
    // Everything takes turns on its one connection, and no network is in between.
    patienceMs: 60_000,
  });
}
