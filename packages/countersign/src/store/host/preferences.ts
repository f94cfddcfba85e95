import { and, eq } from "drizzle-orm";
import type { Session } from "../database.js";
import { preferences } from "../schema.js";

/** A person's inbox preferences as they were saved, or `null` if there are none. */
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
