import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";
import { inject } from "vitest";

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

/** An empty database on the test run's real Postgres. */
export async function freshPostgres(max = 20): Promise<TestDatabase & { kind: "postgres" }> {
  const server = inject("postgresUrl");
  const name = `t_${randomUUID().replaceAll("-", "")}`;
  const creator = postgres(`${server}/postgres`, { max: 1, onnotice: () => {} });
  await creator.unsafe(`create database ${name} owner owner`);
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

/** An empty PGlite in memory. */
export async function freshPglite(): Promise<TestDatabase & { kind: "pglite" }> {
  const pglite = await PGlite.create("memory://");
  return { kind: "pglite", pglite, [Symbol.asyncDispose]: () => pglite.close() };
}

/** Every kind of database that the product runs on, for tests that must hold on all. */
export const everyDatabase = [
  { name: "PGlite", open: freshPglite },
  { name: "Postgres", open: freshPostgres },
] as const;
