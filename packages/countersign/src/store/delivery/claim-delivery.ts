import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, ne, or, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { ChannelReference } from "../../channel/channel.js";
import type { Session } from "../database.js";
import type { ClaimDeliveryResult, ClaimedRoundup, RoundupsByChannel } from "../ports/delivery-port.js";
import { readForCard } from "../rows/read-for-card.js";
import { deliveries } from "../schema.js";
import { readFailing } from "./failing-recipients.js";
import { readRoundup } from "./read-roundup.js";
import { isInRoundup, lockRecipient, placeInRoundup, type DeliveryRow as Row } from "./roundups.js";

/** Longer than any attempt, so that a lease only ends early if its sender has died. */
const leaseSeconds = 60;

/**
 * Begins an attempt. The sender leases the row, so that two senders do not send the same message at once. Messages to
 * one recipient about one approval are first attempted in the order of their events, one at a time.
 */
export async function claimDelivery(
  session: Session,
  id: string,
  channels: readonly string[],
  termsOf: RoundupsByChannel = {},
): Promise<ClaimDeliveryResult> {
  const { db, now } = session;
  const mine = and(eq(deliveries.id, id), inArray(deliveries.channel, [...channels]));
  const [found] = await db.select().from(deliveries).where(mine);
  if (!found) return "nothing";
  await takeTurn(session, found);
  if (await isBehind(session, found)) return "busy";
  const terms = termsOf[found.channel];
  const isRoundup = found.roundupId === id;
  if (terms && found.recipientId !== null && found.sentVersion === 0 && !isRoundup) {
    await lockRecipient(session, found);
    const roundups = await placeInRoundup(session, found, terms);
    if (roundups !== null) return { roundups, againInMs: null };
  }
  const [row] = await db
    .update(deliveries)
    .set({
      attempts: sql`${deliveries.attempts} + 1`,
      // The lease was not ended, so its sender died, perhaps after it had sent the message.
      uncertain: sql`${deliveries.uncertain} or ${deliveries.leasedUntil} is not null`,
      leasedUntil: sql`${now} + ${leaseSeconds} * interval '1 second'`,
    })
    .where(
      and(
        mine,
        eq(deliveries.state, "due"),
        lte(deliveries.nextAttemptAt, now),
        or(sql`${deliveries.leasedUntil} is null`, lte(deliveries.leasedUntil, now)),
      ),
    )
    .returning();
  if (!row) return isRoundup ? pauseOf(session, id) : "nothing";
  const read = await readForCard(session, row.tenantId, row.approvalId);
  const failing = await readFailing(session, row);
  if (!read) return "nothing";
  const { recipientId, recipientLabel, attempts: attempt } = row;
  const roundup = await readRoundup(session, row, terms);
  const waitsSince = Math.max(row.occurredAt.getTime(), row.replayedAt?.getTime() ?? 0);
  const expires = expiriesOf(read.approval, roundup);
  const at = claimedAt(row);
  const { tenantId, channel, target, event, occurredAt, failures, wantedVersion, sentVersion, uncertain } =
    row;
  return {
    id,
    attempt,
    tenantId,
    channel,
    target,
    event,
    occurredAt,
    failures,
    wantedVersion,
    sentVersion,
    uncertain,
    since: row.createdAt,
    failing,
    replayed: row.replayedAt !== null,
    waitedMs: at - waitsSince,
    leftMs: expires.length === 0 ? null : Math.min(...expires) - at,
    recipient: recipientId === null ? null : { id: recipientId, label: recipientLabel ?? recipientId },
    reference: row.reference ?? (await earlierReference(session, row)),
    ...read,
    roundup,
  };
}

/** The store's time at the claim, in milliseconds. */
function claimedAt({ leasedUntil }: Row): number {
  return (leasedUntil?.getTime() ?? 0) - leaseSeconds * 1_000;
}

/** How long a roundup still waits for further calls. */
async function pauseOf({ db, now }: Session, id: string): Promise<ClaimDeliveryResult> {
  const ms = sql<number>`extract(epoch from ${deliveries.nextAttemptAt} - ${now})::double precision * 1000`;
  const [waiting] = await db
    .select({ ms: ms.mapWith(Number) })
    .from(deliveries)
    .where(and(eq(deliveries.id, id), eq(deliveries.state, "due"), gt(deliveries.nextAttemptAt, now)));
  return waiting ? { roundups: [], againInMs: Math.ceil(waiting.ms) } : "nothing";
}

/** When the calls expire that people can still decide, in milliseconds. */
function expiriesOf({ status, expiresAt }: Approval, roundup: ClaimedRoundup | null): number[] {
  const expiries = roundup
    ? roundup.groups.map(({ expires }) => expires)
    : [isOpen(status) ? expiresAt : null];
  return expiries.flatMap((expires) => (expires === null ? [] : [expires.getTime()]));
}

function sameRecipient({ tenantId, approvalId, channel, recipientId }: Row) {
  return and(
    eq(deliveries.tenantId, tenantId),
    eq(deliveries.approvalId, approvalId),
    eq(deliveries.channel, channel),
    recipientId === null ? sql`false` : eq(deliveries.recipientId, recipientId),
  );
}

/** Makes claims for the same recipient and approval wait for each other until the commit. */
async function takeTurn({ db }: Session, { approvalId, channel, recipientId }: Row): Promise<void> {
  if (recipientId === null) return;
  const name = JSON.stringify(["countersign:delivery", approvalId, channel, recipientId]);
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** Whether another message to the same recipient is being sent, or an earlier one has not been tried yet. */
async function isBehind({ db, now }: Session, row: Row): Promise<boolean> {
  if (row.recipientId === null) return false;
  const [before] = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        sameRecipient(row),
        ne(deliveries.id, row.id),
        eq(deliveries.state, "due"),
        or(
          sql`${deliveries.leasedUntil} > ${now}`,
          and(eq(deliveries.attempts, 0), lt(deliveries.occurredAt, row.occurredAt)),
        ),
      ),
    )
    .limit(1);
  return before !== undefined;
}

/** What the channel returned last for a message of the same recipient and approval, which a roundup is not. */
async function earlierReference({ db }: Session, row: Row): Promise<ChannelReference | null> {
  if (row.recipientId === null) return null;
  const [earlier] = await db
    .select({ reference: deliveries.reference })
    .from(deliveries)
    .where(
      and(sameRecipient(row), isNotNull(deliveries.reference), or(isNull(deliveries.roundupId), isInRoundup)),
    )
    .orderBy(desc(deliveries.sentAt))
    .limit(1);
  return earlier?.reference ?? null;
}
