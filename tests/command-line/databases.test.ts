import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countersign } from "../support/command-line.js";
import { emptyPostgres, freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { migrateTo, migrationCount } from "../support/postgres/older-schema.js";
import { postgresStore } from "../support/store.js";

const demoPolicy = fileURLToPath(new URL("../../apps/demo/policy.yaml", import.meta.url));

type Database = Awaited<ReturnType<typeof emptyPostgres>>;

it("migrate applies and names the missing migrations, and applies none the second time", async () => {
  await using database = await emptyPostgres(2);
  await migrateTo(1, database.postgres);
  const first = await countersign(["migrate", "--database-url", database.url]);
  expect(first).toMatchObject({
    code: 0,
    out: `Applied ${migrationCount - 1} migrations; the database is up to date.\n`,
  });
  expect(first.err.split("\n")).toEqual(expect.arrayContaining(["applying 0002_row_level_security"]));
  expect(first.err).not.toContain("0000_init");
  expect(await countersign(["migrate"], { env: { DATABASE_URL: database.url } })).toEqual({
    code: 0,
    out: "No pending migrations: the database is up to date.\n",
    err: "",
  });
});

it("the process of migrate writes to its streams, closes its connections and ends", async () => {
  await using database = await emptyPostgres(2);
  const main = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
  const argv = [main, "migrate", "--json", "--database-url", database.url];
  const printed = await new Promise((resolve) => {
    execFile(process.execPath, argv, (error, out, err) => resolve([error, JSON.parse(out), err]));
  });
  expect(printed).toEqual([null, { applied: expect.arrayContaining(["0000_init"]) }, ""]);
});

it("migrate --sql prints the SQL that migrates a database, from the start or since a migration", async () => {
  await using database = await emptyPostgres(2);
  const { out: all } = await countersign(["migrate", "--sql"]);
  await database.postgres.begin((tx) => tx.unsafe(all));
  const store = postgresStore({ client: database.postgres });
  expect([await store.isMigrated(), await store.migrate()]).toEqual([true, []]);

  await using older = await emptyPostgres(2);
  await migrateTo(1, older.postgres);
  const { out: rest } = await countersign(["migrate", "--sql", "--since", "0000_init"]);
  const statements = rest.split("--> statement-breakpoint");
  await older.postgres.begin(async (tx) => {
    for (const statement of statements) await tx.unsafe(statement);
  });
  expect(await postgresStore({ client: older.postgres }).isMigrated()).toBe(true);
});

it("commands on a database without tables name the command that migrates it", async () => {
  await using database = await emptyPostgres(2);
  for (const argv of [["audit", "verify"], ["stops"]]) {
    const { code, err } = await countersign([...argv, "--database-url", database.url]);
    expect([code, err]).toEqual([2, expect.stringContaining("npx countersign migrate")]);
  }
});

describe("with DATABASE_URL and without --database-url", () => {
  let database: Database;
  beforeAll(async () => {
    database = await freshPostgres(2);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  /** The test's database, for connections whose number can be told from others. */
  const named = (name: string) => `${database.url}?application_name=${encodeURIComponent(name)}`;
  async function connectionsOf(name: string): Promise<number> {
    const [row] = await database.admin<{ open: number }[]>`
      select count(*)::int as open from pg_stat_activity where application_name = ${name}`;
    return row?.open ?? 0;
  }

  it.each([
    ["audit verify", []],
    ["audit export", []],
    ["audit show", ["apr_1"], 1],
    ["stops", []],
    ["stop", ["--reason", "A key has leaked", "--tool", "refund"]],
    ["prune", ["--older-than", "180d", "--dry-run"]],
    ["forget", ["--tenant", "acme", "--person", "eve"]],
    ["restored", []],
    ["deliveries list", []],
    ["deliveries replay", ["dlv_1"], 1],
    ["policy diff", ["--live", demoPolicy, "--candidate", demoPolicy]],
    ["policy suggest", [demoPolicy]],
  ] as [string, string[], number?][])(
    "%s reads the database of the variable, and leaves no connection",
    async (command, args, code = 0) => {
      const argv = [...command.split(" "), ...args];
      const withUrl = (DATABASE_URL: string) => countersign(argv, { env: { DATABASE_URL } });
      expect(await withUrl(named(command))).toMatchObject({ code });
      await eventually(async () => (await connectionsOf(command)) === 0 || undefined, "no connection");
      expect(await countersign(argv)).toMatchObject({
        ...{ code: 2, out: "" },
        err: expect.stringContaining("environment variable DATABASE_URL"),
      });
      expect(await withUrl("postgres://u:hush@127.0.0.1:1/x")).toMatchObject({
        ...{ code: 2, out: "" },
        err: expect.stringMatching(/^error: DATABASE_URL: (?!.*hush).*ECONNREFUSED/),
      });
    },
  );

  it("the command that stop prints releases the stop", async () => {
    const env = { DATABASE_URL: database.url };
    const { out } = await countersign(["stop", "--reason", "A key has leaked"], { env });
    const [, hint = ""] = /^Release: npx countersign (.*)$/m.exec(out) ?? [];
    expect(await countersign(hint.split(" "), { env })).toMatchObject({ code: 0, err: "" });
  });

  it("audit verify --file reads the file", async () => {
    const env = { DATABASE_URL: "postgres://127.0.0.1:1/x" };
    const { code, err } = await countersign(["audit", "verify", "--file", "missing.jsonl"], { env });
    expect([code, err]).toEqual([2, expect.stringContaining("--file: missing.jsonl cannot be read")]);
  });
});

it.each([
  [
    "a schema that other migrations made",
    "42P06",
    "a version before 0.1.0",
    async (database: Database) => {
      await database.postgres`create schema countersign`;
      return database.url;
    },
  ],
  [
    "a wrong password",
    "28P01",
    "user name or password",
    async ({ url }: Database) => url.replace(/:[^:@]+@/, ":wrong@"),
  ],
  ["an unknown database", "3D000", "does not exist", async ({ url }: Database) => `${url}_2`],
  [
    "a server without free connections",
    "53300",
    "max_connections",
    async ({ admin, url }: Database) => {
      await admin.unsafe(`alter database ${new URL(url).pathname.slice(1)} connection limit 0`);
      return url;
    },
  ],
] as const)("migrate says what to do about %s (%s)", async (_name, code, advice, prepare) => {
  await using database = await emptyPostgres(2);
  const url = await prepare(database);
  const { code: exit, err } = await countersign(["migrate", "--database-url", url]);
  expect([exit, err]).toEqual([2, expect.stringContaining(`nothing was migrated (${code}). `)]);
  expect(err).toContain(advice);
});
