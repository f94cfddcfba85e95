import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** A row of a table as the database writes it into JSON: names of columns, and times as text. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** Makes rows of a table from what `to_json` says of them. Numbers of the type `numeric` are not exact. */
export function rowsFromJson<Table extends PgTable>(table: Table): (json: JsonRow) => Table["$inferSelect"] {
  const columns = Object.entries(getTableColumns(table)).map(
    ([key, { name, dataType }]) => [key, name, dataType] as const,
  );
  return (json) =>
    Object.fromEntries(
      columns.map(([key, name, type]) => {
        const value = json[name] ?? null;
        if (type === "date" && value !== null) return [key, new Date(String(value))];
        return [key, type === "string" && typeof value === "number" ? String(value) : value];
      }),
    ) as Table["$inferSelect"];
}
