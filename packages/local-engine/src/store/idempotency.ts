import { createHash } from "node:crypto";
import { and, eq, gt, lte } from "drizzle-orm";
import type { Database } from "./connection/open-database.js";
import { idempotencyKeys } from "./schema.js";
import type { Write } from "./write.js";

/** How long a key is valid: 24 hours. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Reserves a key for a run. Returns false if another run has it. */
export async function takeIdempotencyKey(write: Write, parts: string[], runId: string): Promise<boolean> {
  // Keys come from people's data, so they may have any length and any character.
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  if (write.changes.keys.has(key)) return false;
  const [taken] = await write.db
    .select({ key: idempotencyKeys.key })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.key, key), gt(idempotencyKeys.expiresAt, write.now)));
  if (taken) return false;
  write.changes.keys.set(key, { key, runId, expiresAt: write.now + LIFETIME_MS });
  return true;
}

/** Deletes expired keys. */
export async function deleteExpiredKeys(tx: Database, now: number): Promise<void> {
  await tx.delete(idempotencyKeys).where(lte(idempotencyKeys.expiresAt, now));
}
