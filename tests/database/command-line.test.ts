import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { emptyPostgres, freshPostgres } from "../support/databases.js";
import { migrateTo, migrationCount } from "../support/postgres/older-schema.js";
import { postgresStore } from "../support/store.js";

const main = fileURLToPath(new URL("../../packages/countersign/dist/cli/main.js", import.meta.url));
const demoPolicy = fileURLToPath(new URL("../../apps/demo/policy.yaml", import.meta.url));

type Database = Awaited<ReturnType<typeof emptyPostgres>>;

interface Answer {
  code: number;
  out: string;
  err: string;
}

function countersign(argv: readonly string[], env: Record<string, string> = {}): Promise<Answer> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...argv],
      { env: { ...inherited, ...env } },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

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
  expect(await countersign(["migrate"], { DATABASE_URL: database.url })).toEqual({
    code: 0,
    out: "No pending migrations: the database is up to date.\n",
    err: "",
  });
});

it("migrate in three concurrent processes applies each migration once", async () => {
  await using database = await emptyPostgres(2);
  const argv = ["migrate", "--json", "--database-url", database.url];
  const answers = await Promise.all([1, 2, 3].map(() => countersign(argv)));
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0]);
  const applied = answers.map(({ out }) => JSON.parse(out).applied.length).sort((one, other) => one - other);
  expect(applied).toEqual([0, 0, migrationCount]);
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
  expect(await countersign(["migrate", "--sql", "--since", "0000"])).toMatchObject({ code: 2, out: "" });
});

it("migrate without a database says how to name one", async () => {
  const { code, err } = await countersign(["migrate"]);
  expect([code, err]).toEqual([2, expect.stringContaining("--database-url postgres://…")]);
});

it.each([
  ["audit verify", ["audit", "verify"]],
  ["stops", ["stops"]],
])("%s on a database without tables names the command that migrates it", async (_name, argv) => {
  await using database = await emptyPostgres(2);
  const { code, err } = await countersign([...argv, "--database-url", database.url]);
  expect([code, err]).toEqual([2, expect.stringContaining("npx countersign migrate")]);
});

describe("with DATABASE_URL and without --database-url", () => {
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
    "%s reads the database of the variable",
    async (command, args, code = 0) => {
      await using database = await freshPostgres(2);
      const argv = [...command.split(" "), ...args];
      const answer = await countersign(argv, { DATABASE_URL: database.url });
      expect(answer).toMatchObject({ code });
      expect(await countersign(argv)).toMatchObject({
        code: 2,
        err: expect.stringContaining("environment variable DATABASE_URL"),
      });
      expect(await countersign(argv, { DATABASE_URL: "postgres://u:hush@127.0.0.1:1/x" })).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^error: DATABASE_URL: (?!.*hush)/),
      });
    },
  );

  it("the command that stop prints releases the stop", async () => {
    await using database = await freshPostgres(2);
    const env = { DATABASE_URL: database.url };
    const { out } = await countersign(["stop", "--reason", "A key has leaked"], env);
    const [, hint = ""] = /^Release: npx countersign (.*)$/m.exec(out) ?? [];
    expect(await countersign(hint.split(" "), env)).toMatchObject({ code: 0, err: "" });
  });

  it("audit verify --file reads the file", async () => {
    const { code, err } = await countersign(["audit", "verify", "--file", "missing.jsonl"], {
      DATABASE_URL: "postgres://127.0.0.1:1/x",
    });
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
