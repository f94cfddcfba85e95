import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { expect, it } from "vitest";
import { migrations as ofCountersign } from "../../packages/countersign/src/store/migrations/migrations.generated.js";
import { migrations as ofLocalEngine } from "../../packages/local-engine/src/store/migrations/migrations.generated.js";

it.each([
  ["countersign", ofCountersign],
  ["local-engine", ofLocalEngine],
])(
  "the module of %s holds the migrations of drizzle/, with the hashes of Drizzle's journal",
  (name, migrations) => {
    const migrationsFolder = fileURLToPath(new URL(`../../drizzle/${name}`, import.meta.url));
    const embedded = migrations.map(({ name: _, ...migration }) => migration);
    expect(embedded, "run npm run db:generate").toEqual(readMigrationFiles({ migrationsFolder }));
  },
);
