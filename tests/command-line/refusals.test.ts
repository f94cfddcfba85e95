import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { countersign } from "../support/command-line.js";
import { freshPostgres } from "../support/databases.js";

let database: Awaited<ReturnType<typeof freshPostgres>>;
beforeAll(async () => {
  database = await freshPostgres(1);
});
afterAll(() => database[Symbol.asyncDispose]());

const anchor = `5:${"0".repeat(64)}`;
const stop = ["stop", "--reason", "Why"];
const thisFile = fileURLToPath(import.meta.url);

/** What the command line lacks or has wrong, the command line, and what the error says. */
const refused: [string, string[], string][] = [
  ["an unknown migration", ["migrate", "--sql", "--since", "0000"], "--since"],
  ["an invalid anchor", ["audit", "verify", "--tenant", "a", "--anchor", "5"], "--anchor"],
  ["an anchor without a tenant", ["audit", "verify", "--anchor", anchor], "--tenant"],
  ["an unknown format", ["audit", "export", "--format", "xml"], "--format"],
  ["an unknown option", ["audit", "verify", "--tennant", "a"], "--tennant"],
  ["a missing file of heads", ["audit", "verify", "--heads", "missing.jsonl"], "--heads missing.jsonl"],
  ["heads of no verification", ["audit", "verify", "--heads", thisFile], "audit verify --json"],
  [
    "heads and an anchor",
    ["audit", "verify", "--heads", "x", "--tenant", "a", "--anchor", anchor],
    "--anchor",
  ],
  ["a stop without a reason", ["stop"], "--reason"],
  ["a stop with a blank reason", ["stop", "--reason", " "], "error: reason: "],
  ["a stop with a long reason", ["stop", "--reason", "r".repeat(501)], "error: reason: "],
  ["a stop of invalid tools", [...stop, "--tool", "(a|b)"], "error: tool: "],
  ["a stop for a tenant without a name", [...stop, "--tenant", ""], "--tenant"],
  ["a stop by nobody", [...stop, "--by", " "], "--by"],
  ["a release without an id", ["release", "--reason", "Why"], "'id'"],
  ["an unknown state", ["deliveries", "list", "--state", "lost"], "Allowed choices are due, sent, failed"],
  ["an empty tenant", ["deliveries", "list", "--tenant", ""], "--tenant: must not be empty"],
  ["a replay without an id", ["deliveries", "replay"], "missing required argument 'ids'"],
  ["no minimum age", ["prune"], "set a minimum age"],
  ["a young age", ["prune", "--older-than", "1h"], "olderThan.requests"],
  ["a young age of the log", ["prune", "--audit", "1d"], "olderThan.audit"],
  ["an archive of nothing", ["prune", "--older-than", "180d", "--archive", "x"], "--archive"],
  ["an invalid batch size", ["prune", "--older-than", "180d", "--batch-size", "none"], "batchSize"],
  ["a key that is not set", ["prune", "--audit", "1y", "--signing-key-env", "NOT_SET"], "NOT_SET is not set"],
  ["an empty tenant to prune", ["prune", "--older-than", "180d", "--tenant", ""], "--tenant"],
  ["nobody to forget", ["forget", "--tenant", "acme", "--person", ""], "personId"],
];

it.each(refused)("exits with 2, does nothing and says why: %s", async (_what, argv, why) => {
  const at = argv[0] === "migrate" ? [] : ["--database-url", database.url];
  const { code, out, err } = await countersign([...argv, ...at]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(why);
  const [log] = await database.admin`select count(*)::int as entries from countersign.audit_entries`;
  expect(log).toEqual({ entries: 0 });
});

it("exits with 2 for what is no URL of a database", async () => {
  const { code, out, err } = await countersign(["audit", "verify", "--database-url", "not a url"]);
  expect([code, out, err]).toEqual([2, "", expect.stringContaining("--database-url")]);
});

it.each([
  ["broken JSON", '{"current":', "KEYS is not valid JSON"],
  ["an unknown field", '{"secrets":"x"}', "unknown field"],
  ["a short secret", '{"id":"a","secret":"x"}', "at least 32 bytes"],
])("exits with 2 for signing keys that are %s, without showing them", async (_what, KEYS, why) => {
  const argv = ["audit", "verify", "--database-url", database.url, "--signing-key-env", "KEYS"];
  const { code, err } = await countersign(argv, { env: { KEYS } });
  expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  expect(err).not.toContain(KEYS);
});
