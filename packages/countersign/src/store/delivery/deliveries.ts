import { and, asc, eq, inArray, notInArray, or, sql } from "drizzle-orm";
import { audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import type { OverdueDelivery } from "../ports/delivery-port.js";
import { deliveries } from "../schema.js";

/** Seconds within which the process that made a delivery due usually sends it. */
const graceSeconds = 5;
/** Hours after which an unsent delivery fails if this process does not have its channel. */
const unclaimedHours = 24;
/**
 * The same for the history of a host's network. Only functions may make the network, so no process may know it before
 * one of its runs continues.
 */
const unclaimedHistoryHours = 30 * 24;

export async function overdueDeliveries(
  { db, now }: Session,
  channels: readonly string[],
  limit: number,
): Promise<OverdueDelivery[]> {
  // `greatest` ignores the lease if it is null.
  const dueSince = sql`extract(epoch from greatest(${deliveries.nextAttemptAt}, ${deliveries.leasedUntil}))`;
  const minutes = sql`greatest((extract(epoch from ${now}) - ${dueSince}) / 60, 0)`;
  return db
    .select({
      id: deliveries.id,
      resendId: sql<string>`concat_ws('-', ${deliveries.id}, floor(${dueSince} * 1000)::bigint, floor(log(2, (1 + ${minutes})::numeric))::int)`,
    })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.state, "due"),
        inArray(deliveries.channel, [...channels]),
        sql`${deliveries.nextAttemptAt} <= ${now} - ${graceSeconds} * interval '1 second'`,
        or(sql`${deliveries.leasedUntil} is null`, sql`${deliveries.leasedUntil} <= ${now}`),
      ),
    )
    .orderBy(asc(deliveries.nextAttemptAt))
    .limit(limit);
}

/**
 * Fails deliveries that have long been due and whose channel is not one of these: no process has that channel any more.
 */
export async function failUnclaimed(tx: Transaction, channels: readonly string[]): Promise<void> {
  const failed = await tx.db
    .update(deliveries)
    .set({ state: "failed", lastError: "No running process has this channel" })
    .where(
      and(
        eq(deliveries.state, "due"),
        channels.length === 0 ? undefined : notInArray(deliveries.channel, [...channels]),
        sql`${deliveries.nextAttemptAt} < ${tx.now} - interval '1 hour'
          * case when ${deliveries.channel} like '%/%' then ${unclaimedHistoryHours}::integer else ${unclaimedHours}::integer end`,
      ),
    )
    .returning();
  for (const { id: deliveryId, tenantId, approvalId, channel, target, event, attempts } of failed) {
    const data = { deliveryId, channel, target, event, attempts };
    audit(tx, { tenantId, approvalId, type: "delivery.failed", data });
  }
}
