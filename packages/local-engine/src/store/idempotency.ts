import { createHash } from "node:crypto";
import { lte, sql } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { idempotencyKeys } from "./schema.js";

/** How long a key is valid: 24 hours. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Reserves a key for a run. Returns false if another run has it. */
export async function takeIdempotencyKey(
  tx: Database,
  parts: string[],
  runId: string,
  now: number,
): Promise<boolean> {
  const expiresAt = now + LIFETIME_MS;
  // Keys come from people's data, so they may have any length and any character.
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  const rows = await tx
    .insert(idempotencyKeys)
    .values({ key, runId, expiresAt })
    .onConflictDoUpdate({
      target: idempotencyKeys.key,
      set: { runId, expiresAt },
      setWhere: sql`${idempotencyKeys.expiresAt} <= ${now}`,
    })
    .returning({ key: idempotencyKeys.key });
  return rows.length > 0;
}

/** Deletes expired keys. */
export async function deleteExpiredKeys(tx: Database, now: number): Promise<void> {
  await tx.delete(idempotencyKeys).where(lte(idempotencyKeys.expiresAt, now));
}
