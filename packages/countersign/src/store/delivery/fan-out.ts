import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { cutText } from "@countersign/policy/internal/shared/engine-text";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, asc, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import { alias, type PgInsertValue } from "drizzle-orm/pg-core";
import type { DeliveryEvent, Recipient } from "../../channel/channel.js";
import type { Transaction } from "../database.js";
import type { ClaimedDelivery, FanOut } from "../ports/delivery-port.js";
import { deliveries } from "../schema.js";
import { changeRoundups, isUnsentReminder, lockRecipient } from "./roundups.js";

const maxLabel = 200;

/**
 * Ends a delivery without a recipient, and writes one for each recipient, in one transaction. A channel of cards has
 * one row per recipient and approval, which each event makes due again. A channel of events gets a new row.
 */
export async function fanOut(
  tx: Transaction,
  claimed: ClaimedDelivery,
  { recipients, mode, andEarlier, roundups = false, skipped }: FanOut,
): Promise<string[]> {
  const { db, now } = tx;
  const [announced] = await db
    .update(deliveries)
    .set(
      skipped === undefined
        ? { state: "sent", sentAt: now, leasedUntil: null, lastError: null }
        : { state: "skipped", leasedUntil: null, lastError: skipped },
    )
    .where(and(eq(deliveries.id, claimed.id), eq(deliveries.attempts, claimed.attempt)))
    .returning();
  // Another sender has taken over the row.
  if (!announced) return [];
  const all = andEarlier ? [...recipients, ...(await earlierRecipients(tx, claimed))] : recipients;
  const { tenantId, approvalId, channel, target, event, occurredAt } = announced;
  const rows = new Map<string, PgInsertValue<typeof deliveries>>();
  for (const recipient of all) {
    const recipientId = storableText(recipient.id);
    const id = derivedId("dlv", approvalId, channel, recipientId, ...(mode === "card" ? [] : [claimed.id]));
    if (rows.has(id)) continue;
    rows.set(id, {
      id,
      tenantId,
      approvalId,
      channel,
      target,
      recipientId,
      event,
      occurredAt,
      recipientLabel: storableText(cutText(recipient.label, maxLabel)),
      nextAttemptAt: now,
      createdAt: now,
    });
  }
  if (rows.size === 0) return [];
  if (roundups) {
    for (const recipientId of [...new Set(all.map(({ id }) => storableText(id)))].sort())
      await lockRecipient(tx, announced, recipientId);
  }
  const changed = await inRoundups(tx, announced, rows);
  const ids = [...rows.keys()].sort();
  if (ids.length === 0) return changed;
  const keepsEvent = keeps(event);
  // Two events of one approval may be written at the same time, so lock its rows in one order.
  await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(inArray(deliveries.id, ids))
    .orderBy(asc(deliveries.id))
    .for("update");
  const written = await db
    .insert(deliveries)
    .values(ids.flatMap((id) => rows.get(id) ?? []))
    .onConflictDoUpdate({
      target: deliveries.id,
      set: {
        wantedVersion: sql`${deliveries.wantedVersion} + 1`,
        event: sql`case when ${keepsEvent} then ${deliveries.event} else excluded.event end`,
        occurredAt: sql`case when ${keepsEvent} then ${deliveries.occurredAt} else excluded.occurred_at end`,
        state: "due",
        roundupId: null,
        // A message that waits after a failure keeps waiting. One whose attempts have ended starts anew.
        nextAttemptAt: sql`case when ${deliveries.state} = 'due' then ${deliveries.nextAttemptAt} else ${now} end`,
        replayedAt: null,
        failures: sql`case when ${deliveries.state} = 'due' then ${deliveries.failures} else 0 end`,
      },
      setWhere: sql`${mode === "card"}`,
    })
    .returning({ id: deliveries.id });
  return [...changed, ...written.map(({ id }) => id)];
}

/** Whether an unsent event stays, because people must be notified of it and would not be of this one. */
function keeps(event: DeliveryEvent): SQL {
  if (event === "approval.assigned") return isUnsentReminder;
  if (event !== "approval.voted" && event !== "approval.extended") return sql`false`;
  return sql`(${isUnsentReminder}
    or ${deliveries.state} = 'due' and ${deliveries.event} = 'approval.assigned')`;
}

/** Events that do not change what a roundup shows. */
const unseen: readonly DeliveryEvent[] = ["approval.started", "approval.finished", "approval.undone"];

/** Makes those roundups due that report the call, and removes the rows of their recipients. */
async function inRoundups(
  tx: Transaction,
  { tenantId, approvalId, channel, event }: typeof deliveries.$inferSelect,
  rows: Map<string, PgInsertValue<typeof deliveries>>,
): Promise<string[]> {
  const lead = alias(deliveries, "lead");
  const members = await tx.db
    .selectDistinct({ recipientId: deliveries.recipientId, roundupId: lead.id })
    .from(deliveries)
    .innerJoin(lead, and(eq(lead.id, deliveries.roundupId), eq(lead.tenantId, deliveries.tenantId)))
    .where(
      and(
        eq(deliveries.tenantId, tenantId),
        eq(deliveries.approvalId, approvalId),
        eq(deliveries.channel, channel),
      ),
    );
  const roundupOf = new Map(members.map(({ recipientId, roundupId }) => [recipientId, roundupId]));
  const changed = new Set<string>();
  for (const [id, { recipientId }] of rows) {
    const roundupId = typeof recipientId === "string" ? roundupOf.get(recipientId) : undefined;
    if (roundupId === undefined) continue;
    rows.delete(id);
    changed.add(roundupId);
  }
  return unseen.includes(event) ? [] : changeRoundups(tx, [...changed], event);
}

/** The recipients that the same target had before. */
async function earlierRecipients(tx: Transaction, claimed: ClaimedDelivery): Promise<Recipient[]> {
  const { tenantId, channel, target, approval } = claimed;
  const rows = await tx.db
    .selectDistinct({ id: deliveries.recipientId, label: deliveries.recipientLabel })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.tenantId, tenantId),
        eq(deliveries.approvalId, approval.id),
        eq(deliveries.channel, channel),
        isNotNull(deliveries.recipientId),
        target === null ? sql`${deliveries.target} is null` : eq(deliveries.target, target),
      ),
    );
  return rows.flatMap(({ id, label }) => (id === null ? [] : [{ id, label: label ?? id }]));
}
