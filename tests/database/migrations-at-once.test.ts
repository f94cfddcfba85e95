import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import { expect, it } from "vitest";
import { emptyPostgres } from "../support/databases.js";
import { migrateTo, migrationCount } from "../support/postgres/older-schema.js";
import { proposeCall } from "../support/proposals.js";
import { pgliteStore, postgresStore } from "../support/store.js";

const replicas = [1, 2, 3];
const rounds = [1, 2];
const here = fileURLToPath(new URL(".", import.meta.url));

/** The program of a starting replica of an app, in a process of its own. */
const start = `
  import { postgresStore } from "countersign/postgres";
  const store = postgresStore({ url: process.argv[1], max: 1 });
  await store.migrate();
  console.log(await store.isMigrated());
  await store.close();`;

it("three concurrent processes migrate an empty database", async () => {
  await using database = await emptyPostgres(2);
  const run = promisify(execFile);
  const outcomes = await Promise.all(
    replicas.map(() =>
      run(process.execPath, ["--input-type=module", "--eval", start, database.url], { cwd: here }),
    ),
  );
  expect(outcomes.map(({ stdout, stderr }) => [stdout, stderr])).toEqual(replicas.map(() => ["true\n", ""]));
  const journal = await database.admin`select from drizzle.countersign_migrations`;
  expect(journal).toHaveLength(migrationCount);
});

it.each(rounds)("three concurrent stores migrate an older database, round %i", async (round) => {
  await using database = await emptyPostgres(2);
  await migrateTo(round, database.postgres);
  const stores = replicas.map(() => postgresStore({ url: database.url, max: 2 }));
  await Promise.all(stores.map((store) => store.migrate()));
  for (const store of stores) expect(await store.isMigrated()).toBe(true);
  const [first] = stores;
  if (!first) throw new Error("unreachable");
  expect(await proposeCall(first)).toMatchObject([{ status: "pending" }]);
  const journal = await database.admin`select from drizzle.countersign_migrations`;
  expect(journal).toHaveLength(migrationCount);
  await Promise.all(stores.map((store) => store.close()));
});

it("a failed migration leaves nothing behind and can be repeated", async () => {
  await using database = await emptyPostgres(2);
  await migrateTo(1, database.postgres);
  await database.admin`alter table countersign.votes rename to moved_votes`;
  const store = postgresStore({ client: database.postgres });
  await expect(store.migrate()).rejects.toMatchObject({ code: "database_failed" });
  expect(await database.admin`select from drizzle.countersign_migrations`).toHaveLength(1);
  await database.admin`alter table countersign.moved_votes rename to votes`;
  await store.migrate();
  expect(await store.isMigrated()).toBe(true);
});

it("a PGlite database is migrated once by several concurrent stores", async () => {
  const client = await PGlite.create();
  const stores = replicas.map(() => pgliteStore({ client }));
  await Promise.all(stores.map((store) => store.migrate()));
  const { rows } = await client.query("select from drizzle.countersign_migrations");
  expect(rows).toHaveLength(migrationCount);
  await client.close();
});
