import { and, eq, isNull, lte, notExists, sql } from "drizzle-orm";
import { audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import type { ClaimedDelivery, EndedAttempt } from "../ports/delivery-port.js";
import { deliveries, failingRecipients } from "../schema.js";

/** A longer pause between two failures restarts the time of failures: a few failures of rare messages prove little. */
const maxPauseHours = 48;

type Of = Pick<typeof deliveries.$inferSelect, "tenantId" | "channel" | "recipientId">;

function rowOf({ tenantId, channel, recipientId }: Of) {
  return and(
    eq(failingRecipients.tenantId, tenantId),
    eq(failingRecipients.channel, channel),
    recipientId === null ? sql`false` : eq(failingRecipients.recipientId, recipientId),
  );
}

export async function readFailing({ db }: Session, of: Of): Promise<ClaimedDelivery["failing"]> {
  if (of.recipientId === null) return null;
  const [row] = await db
    .select({ since: failingRecipients.failingSince, disabledAt: failingRecipients.disabledAt })
    .from(failingRecipients)
    .where(rowOf(of));
  return row ?? null;
}

/** Records a failure, and disables the recipient if all attempts within this time have failed. */
export async function recordFailure(
  tx: Transaction,
  { id: deliveryId, tenantId, channel, recipient, approval }: ClaimedDelivery,
  disableAfterMs: number,
): Promise<EndedAttempt["recipient"]> {
  if (recipient === null) return null;
  const { db, now } = tx;
  const { failingSince, lastFailedAt, disabledAt } = failingRecipients;
  const continues = sql`${disabledAt} is not null or ${lastFailedAt} >= ${now} - ${maxPauseHours} * interval '1 hour'`;
  await db
    .insert(failingRecipients)
    .values({
      tenantId,
      channel,
      recipientId: recipient.id,
      recipientLabel: recipient.label,
      failingSince: now,
      lastFailedAt: now,
    })
    .onConflictDoUpdate({
      target: [failingRecipients.tenantId, failingRecipients.channel, failingRecipients.recipientId],
      set: {
        failingSince: sql`case when ${continues} then ${failingSince} else ${now} end`,
        lastFailedAt: now,
        recipientLabel: sql`excluded.recipient_label`,
      },
    });
  const [disabled] = await db
    .update(failingRecipients)
    .set({ disabledAt: now })
    .where(
      and(
        rowOf({ tenantId, channel, recipientId: recipient.id }),
        isNull(disabledAt),
        lte(failingSince, sql`${now} - ${disableAfterMs}::double precision * interval '1 millisecond'`),
      ),
    )
    .returning({ since: failingSince });
  if (!disabled) return null;
  const data = {
    deliveryId,
    channel,
    recipient: recipient.label,
    failingSince: disabled.since.toISOString(),
  };
  audit(tx, { tenantId, approvalId: approval.id, type: "delivery.disabled", data });
  return "disabled";
}

/** Resets the failures of a recipient after a success, and enables the recipient if it was disabled. */
export async function recordSuccess(
  tx: Transaction,
  { id: deliveryId, tenantId, channel, recipient, approval, failing }: ClaimedDelivery,
): Promise<EndedAttempt["recipient"]> {
  if (recipient === null || failing === null) return null;
  const [ended] = await tx.db
    .delete(failingRecipients)
    .where(rowOf({ tenantId, channel, recipientId: recipient.id }))
    .returning({ disabledAt: failingRecipients.disabledAt });
  if (!ended?.disabledAt) return null;
  const data = { deliveryId, channel, recipient: recipient.label };
  audit(tx, { tenantId, approvalId: approval.id, type: "delivery.enabled", data });
  return "enabled";
}

/** Joins a delivery to the failures of its recipient. */
export const ofFailingRecipient = and(
  eq(deliveries.tenantId, failingRecipients.tenantId),
  eq(deliveries.channel, failingRecipients.channel),
  eq(deliveries.recipientId, failingRecipients.recipientId),
);

/** Deletes the failures of recipients that have no deliveries left. */
export async function forgetFailingRecipients({ db }: Session): Promise<void> {
  const theirs = db.select({ id: deliveries.id }).from(deliveries).where(ofFailingRecipient);
  await db.delete(failingRecipients).where(notExists(theirs));
}
