import type postgres from "postgres";

/** What the engine needs of a PGlite; `new PGlite(…)` fits. PGlite's own types do not compile without `skipLibCheck`. */
export interface PgliteClient {
  query(query: string, parameters?: unknown[], options?: object): Promise<unknown>;
  exec(query: string, options?: object): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Where the engine keeps its state. `"memory"` is a new PGlite that the engine owns and closes. A `postgres` client
 * should belong to the engine alone, because Drizzle sets its own parsers for dates and JSON on it.
 */
export type DatabaseOption = { pglite: PgliteClient } | { postgres: postgres.Sql } | "memory";
