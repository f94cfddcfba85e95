import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";
import { inject } from "vitest";

/** One database of its own for one test, and the way to get rid of it. */
export type TestDatabase = AsyncDisposable &
  ({ kind: "pglite"; pglite: PGlite } | { kind: "postgres"; url: string; postgres: postgres.Sql });

/** An empty database on the test run's real Postgres. */
export async function freshPostgres(max = 20): Promise<TestDatabase & { kind: "postgres" }> {
  const server = inject("postgresUrl");
  const name = `t_${randomUUID().replaceAll("-", "")}`;
  const admin = postgres(`${server}/postgres`, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name}`);
  await admin.end();
  const url = `${server}/${name}`;
  const client = postgres(url, { max, onnotice: () => {} });
  return {
    kind: "postgres",
    url,
    postgres: client,
    [Symbol.asyncDispose]: () => client.end({ timeout: 1 }),
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
