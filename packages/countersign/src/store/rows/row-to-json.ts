import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { JsonRow } from "./row-from-json.js";

/** A row by the names of its columns, for a function of the database that writes it. */
export function jsonFromRow(table: PgTable, row: object): JsonRow {
  const values: Readonly<Record<string, unknown>> = { ...row };
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, { name }]) => [name, values[key] ?? null]),
  );
}
