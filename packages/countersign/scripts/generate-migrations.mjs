// Generates the next migration from schema.ts, and adds the handwritten SQL:
// Drizzle knows tables, but no triggers, and no policies of all tables at once. Arguments go to drizzle-kit
// (`-- --name votes`).
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Files beside schema.ts; each can run again on a database that has an older text of it. */
const handwritten = [
  "append-only.sql",
  "row-level-security.sql",
  "uncounted-calls.sql",
  "counted-hours.sql",
  "read-and-apply.sql",
  "read-proposal.sql",
];

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const migrations = new URL("../../../drizzle/countersign/", import.meta.url);
const drizzleKit = fileURLToPath(new URL("../../../node_modules/drizzle-kit/bin.cjs", import.meta.url));
const embedMigrations = fileURLToPath(new URL("../../../scripts/embed-migrations.mjs", import.meta.url));
const generate = (...args) =>
  execFileSync(process.execPath, [drizzleKit, "generate", ...args], { cwd: packageFolder, stdio: "inherit" });
const names = () => readdirSync(migrations).filter((name) => name.endsWith(".sql"));

const before = names();
generate(...process.argv.slice(2));
for (const name of names().filter((name) => !before.includes(name))) keysLast(new URL(name, migrations));
for (const file of handwritten) {
  const text = readFileSync(new URL(`../src/store/${file}`, import.meta.url), "utf8");
  if (names().some((name) => readFileSync(new URL(name, migrations), "utf8") === text)) continue;
  const known = names();
  generate("--custom", "--name", file.replace(".sql", "").replaceAll("-", "_"));
  const [added] = names().filter((name) => !known.includes(name));
  if (!added) throw new Error(`drizzle-kit has written no migration for ${file}`);
  writeFileSync(new URL(added, migrations), text);
}
execFileSync(process.execPath, [embedMigrations, "countersign"], { stdio: "inherit" });

/** drizzle-kit adds foreign keys before the unique constraints that they refer to, which Postgres refuses. */
function keysLast(migration) {
  const breakpoint = "--> statement-breakpoint";
  const statements = readFileSync(migration, "utf8")
    .split(breakpoint)
    .map((statement) => statement.trim());
  const isKey = (statement) => /^ALTER TABLE .* ADD CONSTRAINT .* FOREIGN KEY/.test(statement);
  const ordered = [...statements.filter((statement) => !isKey(statement)), ...statements.filter(isKey)];
  writeFileSync(migration, ordered.join(`\n${breakpoint}\n`));
}
