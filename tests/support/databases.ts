import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, openAsBlob, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createLocalEngine } from "@countersign/local-engine";
import { PGlite } from "@electric-sql/pglite";
import { pgliteStore } from "countersign/pglite";
import postgres from "postgres";
import { inject } from "vitest";
import { migratedDatabase } from "./migrated-database.js";

/** One database of its own for one test, and the way to get rid of it. */
export type TestDatabase = AsyncDisposable &
  ({ kind: "pglite"; pglite: PGlite } | ({ kind: "postgres" } & PostgresDatabase));

interface PostgresDatabase {
  /** For the owner of the database, as an application connects: row-level security binds it. */
  url: string;
  postgres: postgres.Sql;
  /** One connection of a superuser, for what a test does or reads behind the application's back. */
  admin: postgres.Sql;
}

/** A database on the test run's real Postgres that has the product's tables, and nothing in them. */
export const freshPostgres = (max?: number) => createPostgres(max, migratedDatabase);

/** A database on the test run's real Postgres in which there is nothing at all. */
export const emptyPostgres = (max?: number) => createPostgres(max, "template1");

async function createPostgres(max = 20, template: string): Promise<TestDatabase & { kind: "postgres" }> {
  const server = inject("postgresUrl");
  const name = `t_${randomUUID().replaceAll("-", "")}`;
  const creator = postgres(`${server}/postgres`, { max: 1, onnotice: () => {} });
  await creator.unsafe(`create database ${name} owner owner template ${template}`);
  await creator.end();
  const url = `${inject("postgresOwnerUrl")}/${name}`;
  const client = postgres(url, { max, onnotice: () => {} });
  const admin = postgres(`${server}/${name}`, { max: 1, onnotice: () => {} });
  return {
    kind: "postgres",
    url,
    postgres: client,
    admin,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([client.end({ timeout: 1 }), admin.end({ timeout: 1 })]);
    },
  };
}

/** A PGlite in memory that has the product's tables, and nothing in them. */
export async function freshPglite(): Promise<TestDatabase & { kind: "pglite" }> {
  const { dump } = await migratedPglite();
  const pglite = await PGlite.create({ loadDataDir: await openAsBlob(dump) });
  return { kind: "pglite", pglite, [Symbol.asyncDispose]: () => pglite.close() };
}

/** Makes `folder` one in which a PGlite has kept the product's tables, and nothing in them. */
export async function freshPgliteFolder(folder: string): Promise<void> {
  const { files } = await migratedPglite();
  cpSync(files, folder, { recursive: true });
}

/**
 * A PGlite that has all tables, as a folder and as one file. To make one takes many times as long as to load it, so the
 * first test that needs it keeps it for all others of the run.
 */
async function migratedPglite(): Promise<{ files: string; dump: string }> {
  const kept = join(inject("scratchFolder"), "pglite");
  const within = (folder: string) => ({ files: join(folder, "files"), dump: join(folder, "dump.tar") });
  if (existsSync(kept)) return within(kept);
  const made = within(mkdtempSync(`${kept}-`));
  const pglite = await PGlite.create(made.files);
  await pgliteStore({ client: pglite }).migrate();
  const engine = await createLocalEngine({ database: { pglite } });
  await engine.stop();
  const dump = await pglite.dumpDataDir("none");
  writeFileSync(made.dump, new Uint8Array(await dump.arrayBuffer()));
  await pglite.close();
  try {
    renameSync(dirname(made.dump), kept);
  } catch (error) {
    // Another file's tests were quicker.
    if (!existsSync(kept)) throw error;
  }
  return within(kept);
}

/** Every kind of database that the product runs on, for tests that must hold on all. */
export const everyDatabase = [
  { name: "PGlite", open: freshPglite },
  { name: "Postgres", open: freshPostgres },
] as const;
