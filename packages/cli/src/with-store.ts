import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { StoreVerbs } from "countersign/internal";
import { type ExitCode, UsageError } from "./cli-io.js";

const variable = "DATABASE_URL";

/** The database option of all commands that use a database. */
export const databaseOption = [
  "--database-url <url>",
  `URL of the Countersign database, postgres://……; default: the environment variable ${variable}`,
] as const;

/** How a command that this one suggests gets the same database. A URL holds a password, so it is not printed. */
export function sameDatabase(option: string | undefined): string {
  return option === undefined ? "" : ` --database-url "$${variable}"`;
}

/** A database, and the option or variable that has its URL, for messages. */
export interface Database {
  url: string;
  source: string;
}

/**
 * The database of the option or of the environment.
 * @param otherwise What may be set instead.
 * @throws UsageError if neither is set.
 */
export function databaseOf(option: string | undefined, otherwise = ""): Database {
  if (option !== undefined) return { url: option, source: "--database-url" };
  const url = process.env[variable];
  if (url) return { url, source: variable };
  throw new UsageError(
    `set --database-url postgres://…${otherwise}, or the environment variable ${variable}`,
  );
}

/**
 * Opens the store of `databaseOf(option)`, runs `work` and closes the store. Error messages contain neither the URL nor personal data.
 *
 * @param failed What failed if the database fails, such as "the log cannot be read".
 * @throws UsageError
 */
export async function withStore(
  option: string | undefined,
  failed: string,
  work: (store: StoreVerbs) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { url, source } = databaseOf(option);
  const { postgresStore } = await import("countersign/postgres").catch(() => withoutPostgres(source));
  // Loaded here, because it takes longer than all that commands without a database do.
  const { storeVerbs } = await import("countersign/internal");
  let store: StoreVerbs;
  try {
    store = storeVerbs(postgresStore({ url, max: 1 }));
  } catch {
    throw new UsageError(`${source}: must be a Postgres URL, such as postgres://user@host/name`);
  }
  try {
    return await work(store);
  } catch (error) {
    throw databaseError(source, failed, error);
  } finally {
    await store.close();
  }
}

/**
 * Passes on what a function reads from the database. Error messages contain neither the URL nor personal data.
 *
 * @param failed What failed if the database fails.
 * @throws UsageError
 */
export async function* readingFrom<T>(
  { url, source }: Database,
  failed: string,
  read: (url: string) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  await import("countersign/postgres").catch(() => withoutPostgres(source));
  try {
    yield* read(url);
  } catch (error) {
    throw databaseError(source, failed, error);
  }
}

function withoutPostgres(source: string): never {
  throw new UsageError(`${source} requires the package "postgres"; install it next to countersign`);
}

/** The error of a command whose database failed: what failed, why, and what to do about it. Others stay as they are. */
function databaseError(source: string, failed: string, error: unknown): unknown {
  if (!CountersignError.isInstance(error)) return error;
  const {
    verb,
    sqlState = "unknown",
    advice = "Check the URL and that the database is reachable.",
  } = error.detail;
  if (verb === undefined) return new UsageError(error.message);
  if (error.code === "not_migrated") return new UsageError(`${source}: ${error.message}`);
  return new UsageError(`${source}: ${failed} (${sqlState}). ${advice}`);
}
