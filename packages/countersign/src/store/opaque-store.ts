import type { MigrateOptions } from "./ports/database-port.js";

/**
 * Where Countersign keeps everything. `postgresStore()` and `pgliteStore()` create one. Its other members are not part
 * of the public API.
 */
export interface Store {
  /** Exists in the types only, so that nothing else passes for a store. */
  readonly "~countersign": "store";
  /**
   * Applies all missing migrations in one transaction. Concurrent migrations are serialised.
   *
   * @returns The names of the applied migrations, oldest first; empty if the database was up to date.
   */
  migrate(options?: MigrateOptions): Promise<string[]>;
  close(): Promise<void>;
}
