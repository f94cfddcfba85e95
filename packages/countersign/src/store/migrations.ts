import { fileURLToPath } from "node:url";

/** Where the package keeps its migrations; the same from `src/store` and `dist/store`. */
export function migrationConfig() {
  return {
    migrationsFolder: fileURLToPath(new URL("../../drizzle", import.meta.url)),
    migrationsTable: "countersign_migrations",
  };
}
