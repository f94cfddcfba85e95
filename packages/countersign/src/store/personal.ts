import { and, eq, sql } from "drizzle-orm";
import type { Session } from "./database.js";
import { idempotencyKeys, preferences } from "./schema.js";

/** How a person likes their inbox, as it was written; `null` where they never said. */
export async function getPreferences(
  { db }: Session,
  tenantId: string,
  principalId: string,
): Promise<unknown> {
  const [row] = await db
    .select({ data: preferences.data })
    .from(preferences)
    .where(and(eq(preferences.tenantId, tenantId), eq(preferences.principalId, principalId)));
  return row?.data ?? null;
}

export async function setPreferences(
  { db, now }: Session,
  tenantId: string,
  principalId: string,
  data: Record<string, unknown>,
): Promise<void> {
  await db
    .insert(preferences)
    .values({ tenantId, principalId, data, updatedAt: now })
    .onConflictDoUpdate({
      target: [preferences.tenantId, preferences.principalId],
      set: { data, updatedAt: now },
    });
}

/** A request under a key of its sender's. */
export interface KeyedRequest {
  tenantId: string;
  principalId: string;
  key: string;
  requestHash: string;
}

/** True where the key is new, or known with the same request. */
export async function noteIdempotencyKey({ db, now }: Session, request: KeyedRequest): Promise<boolean> {
  const [row] = await db
    .insert(idempotencyKeys)
    .values({ ...request, createdAt: now })
    .onConflictDoUpdate({
      target: [idempotencyKeys.tenantId, idempotencyKeys.principalId, idempotencyKeys.key],
      // Changes nothing, but gives the row as it is.
      set: { key: request.key },
    })
    .returning({ requestHash: idempotencyKeys.requestHash });
  return row?.requestHash === request.requestHash;
}

/** Hours after which a key is forgotten. */
const keptHours = 24;

export async function forgetIdempotencyKeys({ db, now }: Session): Promise<void> {
  await db
    .delete(idempotencyKeys)
    .where(sql`${idempotencyKeys.createdAt} < ${now} - ${keptHours} * interval '1 hour'`);
}
