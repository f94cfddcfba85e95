import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { expect, it } from "vitest";
import { migrations } from "./migrations.generated.js";

it("the module of migrations holds those of drizzle/, with the hashes of Drizzle's journal", () => {
  const migrationsFolder = fileURLToPath(new URL("../../../../../drizzle/countersign", import.meta.url));
  const embedded = migrations.map(({ name: _, ...migration }) => migration);
  expect(embedded, "run npm run db:generate").toEqual(readMigrationFiles({ migrationsFolder }));
});
