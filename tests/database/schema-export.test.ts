import * as exported from "countersign/schema";
import { getTableColumns, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/postgres-js";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";

const tables = Object.values(exported).flatMap((table) => (is(table, PgTable) ? [table] : []));

it("countersign/schema has every table of a migrated database, with its columns", async () => {
  await using database = await freshPostgres(1);
  const rows = await database.admin`select table_name, count(*)::int as columns
    from information_schema.columns where table_schema = 'countersign' group by 1`;
  expect(tables).toHaveLength(rows.length);
  const counts = rows.map(({ columns }) => columns).sort((one, other) => one - other);
  expect(
    tables.map((table) => Object.keys(getTableColumns(table)).length).sort((one, other) => one - other),
  ).toEqual(counts);
  const db = drizzle({ client: database.postgres });
  for (const table of tables) expect(await db.select().from(table)).toEqual([]);
});
