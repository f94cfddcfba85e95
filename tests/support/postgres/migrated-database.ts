import { createLocalEngine } from "@countersign/local-engine";
import { postgresStore } from "countersign/postgres";
import postgres from "postgres";

/** The database that test databases are copies of. */
export const migratedDatabase = "migrated";

/** Makes the database that has all tables; `owner` is the address of the server for the role that owns it. */
export async function migrateOnce(admin: postgres.Sql, owner: string): Promise<void> {
  await admin.unsafe(`create database ${migratedDatabase} owner owner`);
  const client = postgres(`${owner}/${migratedDatabase}`, { max: 2, onnotice: () => {} });
  await postgresStore({ client }).migrate();
  const engine = await createLocalEngine({ database: { postgres: client } });
  await engine.stop();
  // Nobody may be connected to a database that is copied.
  await client.end();
}
