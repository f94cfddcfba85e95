// Generates the next migration from schema.ts, and sees to it that the newest migrations contain append-only.sql:
// Drizzle knows tables, but no triggers. Arguments go to drizzle-kit (`-- --name votes`).
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const migrations = new URL("../../../drizzle/countersign/", import.meta.url);
const drizzleKit = fileURLToPath(new URL("../../../node_modules/drizzle-kit/bin.cjs", import.meta.url));
const generate = (...args) =>
  execFileSync(process.execPath, [drizzleKit, "generate", ...args], { cwd: packageFolder, stdio: "inherit" });
const names = () => readdirSync(migrations).filter((name) => name.endsWith(".sql"));

generate(...process.argv.slice(2));
const triggers = readFileSync(new URL("../src/store/append-only.sql", import.meta.url), "utf8");
if (!names().some((name) => readFileSync(new URL(name, migrations), "utf8") === triggers)) {
  const before = names();
  generate("--custom", "--name", "append_only");
  const [added] = names().filter((name) => !before.includes(name));
  if (!added) throw new Error("drizzle-kit has written no migration for append-only.sql");
  writeFileSync(new URL(added, migrations), triggers);
}
