import type { Database } from "./connection/open-database.js";
import { apps } from "./schema.js";

export type AppRow = typeof apps.$inferSelect;

/** All registered apps. */
export async function listApps(db: Database): Promise<AppRow[]> {
  return db.select().from(apps);
}

/** Registers an app, in place of an earlier registration under the same id. */
export async function saveApp(tx: Database, row: AppRow): Promise<void> {
  const { id, ...set } = row;
  await tx.insert(apps).values(row).onConflictDoUpdate({ target: apps.id, set });
}
