import type postgres from "postgres";
import { countersign } from "../command-line.js";

/** Runs `countersign restored`, and returns what it says. */
export async function runRestored(url: string, ...options: string[]): Promise<string> {
  const { code, out, err } = await countersign([
    "restored",
    "--database-url",
    url,
    "--by",
    "ops",
    ...options,
  ]);
  if (code !== 0) throw new Error(err);
  return out;
}

/** Copies all rows of Countersign. The returned function restores them, while the engine keeps its own. */
export async function backUp(admin: postgres.Sql): Promise<() => Promise<void>> {
  const tables = await admin<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'countersign'`;
  await admin.unsafe("create schema backup");
  const forEach = async (
    sql: postgres.Sql | postgres.TransactionSql,
    statement: (table: string) => string,
  ) => {
    for (const { name } of tables) await sql.unsafe(statement(name));
  };
  await forEach(admin, (name) => `create table backup.${name} as select * from countersign.${name}`);
  return async () => {
    await admin.begin(async (tx) => {
      await forEach(tx, (name) => `alter table countersign.${name} disable trigger all`);
      await forEach(tx, (name) => `delete from countersign.${name}`);
      await forEach(tx, (name) => `insert into countersign.${name} select * from backup.${name}`);
      await forEach(tx, (name) => `alter table countersign.${name} enable trigger all`);
    });
  };
}
