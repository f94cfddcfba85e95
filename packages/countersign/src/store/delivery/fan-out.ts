import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { cutText } from "@countersign/policy/internal/shared/engine-text";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, asc, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { DeliveryEvent, Recipient } from "../../channel/channel.js";
import type { RoundupTerms } from "../../channel/roundup.js";
import type { Transaction } from "../database.js";
import type { ClaimedDelivery, FanOut } from "../ports/delivery-port.js";
import { deliveries } from "../schema.js";
import {
  type DeliveryRow,
  isInRoundup,
  isUnsentReminder,
  lockRecipient,
  putInRoundup,
  to,
} from "./roundups.js";

const maxLabel = 200;

type RecipientRow = Pick<
  DeliveryRow,
  "id" | "tenantId" | "approvalId" | "channel" | "target" | "recipientLabel" | "event" | "occurredAt"
> & { recipientId: string; nextAttemptAt: SQL; createdAt: SQL };

/**
 * Ends a delivery without a recipient, and writes one for each recipient, in one transaction. A channel of cards has
 * one row per recipient and approval, which each event makes due again. A channel of events gets a new row.
 */
export async function fanOut(
  tx: Transaction,
  claimed: ClaimedDelivery,
  { recipients, mode, andEarlier, roundup, skipped }: FanOut,
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
  const rows = new Map<string, RecipientRow>();
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
  const due = roundup ? await inRoundups(tx, announced, rows, roundup) : [];
  const ids = [...rows.keys()].sort();
  if (ids.length === 0) return due;
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
  return [...due, ...written.map(({ id }) => id)];
}

/** Events after the first that ask people to act. */
const asksToAct: ReadonlySet<DeliveryEvent> = new Set([
  "approval.reminded",
  "approval.escalated",
  "approval.assigned",
]);

/** Whether an unsent event stays, because people must be notified of it and would not be of this one. */
function keeps(event: DeliveryEvent): SQL {
  if (event === "approval.assigned") return isUnsentReminder;
  if (event !== "approval.voted" && event !== "approval.extended") return sql`false`;
  return sql`(${isUnsentReminder}
    or ${deliveries.state} = 'due' and ${deliveries.event} = 'approval.assigned')`;
}

/**
 * Removes the rows of recipients who know of the call only by a roundup. They have no card to update, so only what asks
 * people to act is reported to them, in a further roundup.
 */
async function inRoundups(
  tx: Transaction,
  { approvalId, event }: DeliveryRow,
  rows: Map<string, RecipientRow>,
  { withinMs }: RoundupTerms,
): Promise<string[]> {
  const due: string[] = [];
  // Transactions about other calls lock the same recipients, so all lock them in one order.
  const byRecipient = [...rows].sort(([, a], [, b]) => (a.recipientId < b.recipientId ? -1 : 1));
  for (const [id, row] of byRecipient) {
    await lockRecipient(tx, row);
    const [known] = await tx.db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(and(to(row), eq(deliveries.approvalId, approvalId), isInRoundup))
      .limit(1);
    if (!known) continue;
    rows.delete(id);
    if (asksToAct.has(event)) due.push(...(await putInRoundup(tx, row, withinMs)));
  }
  return due;
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
