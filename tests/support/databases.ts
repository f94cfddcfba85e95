import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { createLocalEngine } from "@countersign/local-engine";
import { openMigratedPglite } from "@countersign/testing/internal";
import { PGlite } from "@electric-sql/pglite";
import { pgliteStore } from "countersign/pglite";
import postgres from "postgres";
import { inject } from "vitest";
import { migratedDatabase } from "./postgres/migrated-database.js";

/** A database for one test. Disposing of it closes its connections. */
export type TestDatabase = AsyncDisposable &
  ({ kind: "pglite"; pglite: PGlite } | ({ kind: "postgres" } & PostgresDatabase));

interface PostgresDatabase {
  /** For the owner of the database, as an application connects: row-level security binds it. */
  url: string;
  postgres: postgres.Sql;
  /** One connection of a superuser, for what a test reads or changes without the application. */
  admin: postgres.Sql;
}

/** A database on the test run's real Postgres that has the product's tables, and nothing in them. */
export const freshPostgres = (max?: number) => createPostgres(max, migratedDatabase);

/** A database on the test run's real Postgres in which there is nothing at all. */
export const emptyPostgres = (max?: number) => createPostgres(max, "template1");

/** Makes and removes the databases of this worker. It ends with the worker. */
let administrator: postgres.Sql | undefined;

async function createPostgres(max = 20, template: string): Promise<TestDatabase & { kind: "postgres" }> {
  const server = inject("postgresUrl");
  const socket = inject("postgresSocket");
  const options = {
    onnotice: () => {},
    // Seconds. By default 30, which a busy machine may stand still for.
    connect_timeout: 600,
    ...(socket === undefined ? {} : { path: socket }),
  };
  const name = `t_${randomUUID().replaceAll("-", "")}`;
  administrator ??= postgres(`${server}/postgres`, {
    ...options,
    max: 2,
    fetch_types: false,
    idle_timeout: 5,
  });
  const { unsafe: administrate } = administrator;
  await administrate(`create database ${name} owner owner template ${template}`);
  const url = `${inject("postgresOwnerUrl")}/${name}`;
  // A connection that asks for the types of arrays while the test ends would fail the whole run.
  const client = postgres(url, { ...options, max, fetch_types: false });
  const admin = postgres(`${server}/${name}`, { ...options, max: 1 });
  return {
    kind: "postgres",
    url,
    postgres: client,
    admin,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([client.end({ timeout: 1 }), admin.end({ timeout: 1 })]);
      // The databases of a whole run would take 20 GB.
      await administrate(`drop database ${name} with (force)`);
    },
  };
}

/** A PGlite in memory that has the product's tables, and nothing in them. */
export async function freshPglite(): Promise<TestDatabase & { kind: "pglite" }> {
  const pglite = await openMigratedPglite();
  return { kind: "pglite", pglite, [Symbol.asyncDispose]: () => pglite.close() };
}

/** Makes `folder` one in which a PGlite has kept the product's tables, and nothing in them. */
export async function freshPgliteFolder(folder: string): Promise<void> {
  cpSync(await migratedFolder(), folder, { recursive: true });
}

/** A folder of a PGlite that has all tables; the first test that needs it makes it for all others of the run. */
async function migratedFolder(): Promise<string> {
  const kept = join(inject("scratchFolder"), "pglite");
  if (existsSync(kept)) return kept;
  const made = mkdtempSync(`${kept}-`);
  const pglite = await PGlite.create(made);
  await pgliteStore({ client: pglite }).migrate();
  const engine = await createLocalEngine({ database: { pglite } });
  await engine.stop();
  await pglite.close();
  try {
    renameSync(made, kept);
  } catch (error) {
    // The tests of another file have made the folder first.
    if (!existsSync(kept)) throw error;
  }
  return kept;
}

/** Every kind of database that the product runs on, for tests that must hold on all. */
export const everyDatabase = [
  { name: "PGlite", open: freshPglite },
  { name: "Postgres", open: freshPostgres },
] as const;
