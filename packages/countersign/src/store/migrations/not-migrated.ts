import { CountersignError } from "@countersign/policy/internal/shared/errors";

/** SQLSTATEs of a missing schema, table, column and function, which the store's statements never cause on a migrated database. */
const missing = new Set(["3F000", "42P01", "42703", "42883"]);

/** Whether a statement failed because the database lacks a migration of this version. */
export function lacksMigration(sqlState: string | undefined): boolean {
  return sqlState !== undefined && missing.has(sqlState);
}

/** The error of every store verb and of `/readyz` if the database lacks a migration of this version. */
export function notMigrated(detail: Record<string, unknown> = {}): CountersignError {
  return new CountersignError(
    "not_migrated",
    "The database has pending migrations. Run `npx countersign migrate` with each release, or `await store.migrate()` when the app starts.",
    { detail },
  );
}
