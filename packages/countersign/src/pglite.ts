import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { createStore } from "./store/create-store.js";
import type { Store } from "./store/opaque-store.js";

/** The part of PGlite that the store uses; `new PGlite(…)` fits. */
export interface PgliteClient {
  query(query: string, parameters?: unknown[], options?: object): Promise<unknown>;
  exec(query: string, options?: object): Promise<unknown>;
  listen(channel: string, onNotice: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface PgliteStoreOptions {
  /** An existing PGlite. It stays open when the store closes. */
  client?: PgliteClient;
  /** Data folder of a new PGlite. @default "memory://" */
  dataDir?: string;
  /** Milliseconds by which tests shift the database clock. */
  clockOffset?: () => number;
}

/**
 * Keeps everything in PGlite: Postgres inside this process. For development and small single-process use. It has one
 * connection, so it cannot show races.
 *
 * @throws CountersignError `invalid_option` naming the option.
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
  const { client: given, dataDir }: Record<string, unknown> = { ...options };
  if (given !== undefined && typeof Object(given).listen !== "function") {
    throw wrongOption("client", "must be a PGlite instance, created with new PGlite()");
  }
  if (dataDir !== undefined && typeof dataDir !== "string") {
    throw wrongOption("dataDir", 'must be a folder path or "memory://"');
  }
  // Drizzle and the store use only what PgliteClient declares.
  const client = (options.client ?? new PGlite(options.dataDir ?? "memory://")) as PGlite;
  const db = drizzle({ client });
  return createStore({
    db,
    beginsReadCommitted: false,
    // A connection inside this process is never lost, so no notice is missed.
    listen: async (channel, onNotice) => {
      const stop = await client.listen(channel, onNotice);
      return () => stop();
    },
    close: async () => {
      if (!options.client) await client.close();
    },
    clockOffset: options.clockOffset,
    // All statements share one connection, and no network is involved.
    waitTimeoutMs: 60_000,
  });
}
