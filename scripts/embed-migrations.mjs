// Writes the migrations of a package into its source as a module, so that bundlers carry them like any other code.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";

const name = process.argv[2];
if (!name) throw new Error("Usage: embed-migrations.mjs <folder under drizzle/>");
const folder = fileURLToPath(new URL(`../drizzle/${name}`, import.meta.url));
const target = new URL(`../packages/${name}/src/store/migrations/migrations.generated.ts`, import.meta.url);

const { entries } = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, "utf8"));
// Drizzle reads and hashes the files, so databases that its own migrator has migrated agree about the hashes.
const migrations = readMigrationFiles({ migrationsFolder: folder }).map((migration, index) => ({
  name: entries[index].tag,
  ...migration,
}));
const source = `// Written by scripts/embed-migrations.mjs from drizzle/${name}. Do not edit; run \`npm run db:generate\`.
import type { MigrationMeta } from "drizzle-orm/migrator";

/** Every migration of this version, oldest first. */
export const migrations: (MigrationMeta & { name: string })[] = ${JSON.stringify(migrations, null, 2)};
`;
if (readOrNothing(target) !== source) writeFileSync(target, source);

/** A file that stays as it was keeps its time, and with it the caches of compilers. */
function readOrNothing(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
