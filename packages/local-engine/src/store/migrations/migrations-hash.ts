import { createHash } from "node:crypto";
import { migrations } from "./migrations.generated.js";

/**
 * Names the tables of this version of the engine: another one after any change of a migration. For caches of databases that an
 * engine has migrated.
 */
export function migrationsHash(): string {
  const hashes = migrations.map(({ hash }) => hash);
  return createHash("sha256").update(hashes.join()).digest("hex");
}
