import { CountersignError } from "../shared/errors.js";
import { adviceOn } from "../store/connection/sql-states.js";
import { type Store, storeVerbs } from "../store/store.js";
import { type ExitCode, UsageError } from "./cli-io.js";

/** The database option of all commands that use a database. */
export const databaseOption = [
  "--database-url <url>",
  "URL of the Countersign database, postgres://……",
] as const;

/**
 * Opens a store, runs `work` and closes the store. Error messages contain neither the URL nor personal data.
 *
 * @param failed What failed if the database fails, such as "the log cannot be read".
 * @throws UsageError
 */
export async function withStore(
  url: string,
  failed: string,
  work: (store: Store) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { postgresStore } = await import("../postgres.js").catch(() => {
    throw new UsageError('--database-url requires the package "postgres"; install it next to countersign');
  });
  let store: Store;
  try {
    store = storeVerbs(postgresStore({ url, max: 1 }));
  } catch {
    throw new UsageError("--database-url: must be a Postgres URL, such as postgres://user@host/name");
  }
  try {
    return await work(store);
  } catch (error) {
    if (!CountersignError.isInstance(error)) throw error;
    if (error.detail.verb === undefined) throw new UsageError(error.message);
    if (error.code === "not_migrated") throw new UsageError(`--database-url: ${error.message}`);
    throw databaseError(failed, error.detail.sqlState);
  } finally {
    await store.close();
  }
}

/** The error of a command whose database failed: what failed, why, and what to do about it. */
export function databaseError(failed: string, sqlState: unknown): UsageError {
  const code = typeof sqlState === "string" ? sqlState : undefined;
  const advice = adviceOn(code) ?? "Check the URL and that the database is reachable.";
  return new UsageError(`--database-url: ${failed} (${code ?? "unknown"}). ${advice}`);
}
