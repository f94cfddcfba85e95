import { and, asc, eq, gt, inArray, isNull, ne, sql } from "drizzle-orm";
import type { Transaction } from "../database.js";
import { deliveries } from "../schema.js";

/** A shorter pause is left as it is, also because the server may have asked for it. */
export const minPauseSeconds = 30;
/**
 * Messages that one success wakes. Each that succeeds wakes further ones, so a channel that works again soon has all of
 * them, and messages that keep failing cause few attempts.
 */
const maxWoken = 3;

/**
 * Makes messages due that wait after failures, because another one was sent: first those of its recipient and, with
 * `channel`, then those of the tenant's other recipients.
 */
export async function wakeWaiting(
  { db, now, due }: Transaction,
  {
    id,
    tenantId,
    channel,
    recipientId,
  }: Pick<typeof deliveries.$inferSelect, "id" | "tenantId" | "channel" | "recipientId">,
  scope: "recipient" | "channel",
): Promise<void> {
  const isSame = recipientId === null ? sql`false` : eq(deliveries.recipientId, recipientId);
  const waiting = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.state, "due"),
        gt(deliveries.nextAttemptAt, sql`${now} + ${minPauseSeconds} * interval '1 second'`),
        gt(deliveries.failures, 0),
        eq(deliveries.tenantId, tenantId),
        eq(deliveries.channel, channel),
        isNull(deliveries.leasedUntil),
        ne(deliveries.id, id),
        scope === "channel" ? undefined : isSame,
      ),
    )
    // Those with few failures first, so that messages that keep failing do not hold back the others.
    .orderBy(sql`${isSame} is true desc`, asc(deliveries.failures), asc(deliveries.createdAt))
    .limit(maxWoken)
    .for("update", { skipLocked: true });
  if (waiting.length === 0) return;
  const ids = waiting.map((row) => row.id);
  await db.update(deliveries).set({ nextAttemptAt: now }).where(inArray(deliveries.id, ids));
  due.push(...ids);
}
