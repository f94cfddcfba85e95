import { randomUUID } from "node:crypto";
import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { and, count, eq, gt, isNotNull, isNull, max, ne, not, or, type SQL, sql } from "drizzle-orm";
import type { DeliveryEvent } from "../../channel/channel.js";
import type { RoundupTerms } from "../../channel/roundup.js";
import type { Session } from "../database.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, deliveries } from "../schema.js";
import { minPauseSeconds } from "./wake-waiting.js";

export type DeliveryRow = typeof deliveries.$inferSelect;

/** Longer than any message is tried, in days. */
const triedDays = 2;

/** Seconds for which a new roundup waits, so that it counts the calls that come right after its first one. */
const settleSeconds = 5;

/** A reminder or an escalation that has not been sent. People must be notified of it, even if other events follow. */
export const isUnsentReminder = sql`(${deliveries.state} = 'due'
  and ${deliveries.event} in ('approval.reminded', 'approval.escalated'))`;

/** One conversation or address of one tenant. */
type Place = Pick<DeliveryRow, "tenantId" | "channel" | "recipientId">;

/** A call that a recipient is notified of. */
type Call = Place & Pick<DeliveryRow, "approvalId" | "target" | "recipientLabel"> & { event: DeliveryEvent };

/** A message of a call's own that became part of a roundup; the roundup itself also has a row. */
export const isInRoundup = and(isNotNull(deliveries.roundupId), ne(deliveries.roundupId, deliveries.id));

/** Makes transactions that count the messages to one recipient wait for each other until the commit. */
export async function lockRecipient(
  { db }: Session,
  { tenantId, channel, recipientId }: Place,
): Promise<void> {
  const name = JSON.stringify(["countersign:roundup", tenantId, channel, recipientId]);
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/**
 * Puts the call of a message that is about to be sent for the first time into a roundup, if the recipient got enough
 * messages within the time. Returns the roundups that are due because of it, or `null` if the message itself is sent.
 *
 * Calls of high and critical risk are counted by themselves, so that few of them do not disappear among many others.
 */
export async function placeInRoundup(
  session: Session,
  row: DeliveryRow,
  { after, withinMs }: RoundupTerms,
): Promise<string[] | null> {
  const { db, now } = session;
  const about = await db
    .select({
      row: deliveries,
      isHigh: isHighRisk,
      isNow: sql<boolean>`${deliveries.nextAttemptAt} <= ${now}`,
    })
    .from(deliveries)
    .innerJoin(approvals, ofApproval)
    .where(and(to(row), eq(deliveries.approvalId, row.approvalId), hasStatus("pending"), isDecidedInInbox));
  const own = about.find((each) => each.row.id === row.id);
  const isDue = own?.row.state === "due" && own.isNow && own.row.replayedAt === null;
  if (!isDue || about.some((each) => mayHaveArrived(each.row))) return null;
  const isKnown = about.some((each) => each.row.roundupId !== null && each.row.roundupId !== each.row.id);
  if (!isKnown && (await messagesLately(session, row, withinMs, own.isHigh)) < after) return null;
  return putInRoundup(session, row, withinMs);
}

/** Whether the recipient may have a message of its own about the call. */
function mayHaveArrived({ sentVersion, uncertain, leasedUntil, roundupId }: DeliveryRow): boolean {
  return roundupId === null && (sentVersion > 0 || uncertain || leasedUntil !== null);
}

/**
 * Makes a roundup due that counts the call: the unsent one, or a new one. `withinMs` passes between two of them. Returns
 * those that nothing else wakes.
 */
export async function putInRoundup(session: Session, call: Call, withinMs: number): Promise<string[]> {
  const { db, now } = session;
  const { tenantId, approvalId, channel, target, recipientId, recipientLabel, event } = call;
  const isRoundup = and(to(call), eq(deliveries.roundupId, deliveries.id));
  const waitsLonger = sql`${deliveries.failures} > 0 and ${deliveries.leasedUntil} is null
    and ${deliveries.nextAttemptAt} > ${now} + ${minPauseSeconds} * interval '1 second'`;
  const [unsent] = await db
    .update(deliveries)
    .set({
      wantedVersion: sql`${deliveries.wantedVersion} + 1`,
      event: sql`case when ${isUnsentReminder} then ${deliveries.event} else ${event} end`,
      occurredAt: now,
      // People must not wait long for a new call because of earlier failures.
      nextAttemptAt: sql`case when ${waitsLonger} then ${now} else ${deliveries.nextAttemptAt} end`,
    })
    .where(and(isRoundup, eq(deliveries.state, "due")))
    .returning({ id: deliveries.id, isWaiting: sql<boolean>`${deliveries.nextAttemptAt} > ${now}` });
  const id = unsent?.id ?? `dlv_${randomUUID()}`;
  if (!unsent) {
    const [last] = await db
      .select({ sentAt: max(deliveries.sentAt) })
      .from(deliveries)
      .where(isRoundup);
    const sentAt = sql`${last?.sentAt?.toISOString() ?? null}::timestamptz`;
    const within = sql`${withinMs}::double precision * interval '1 millisecond'`;
    const settled = sql`${now} + least(${settleSeconds} * interval '1 second', ${within})`;
    await db.insert(deliveries).values({
      ...{ id, tenantId, approvalId, channel, target, recipientId, recipientLabel, event },
      ...{ occurredAt: now, createdAt: now, roundupId: id },
      nextAttemptAt: sql`greatest(${settled}, ${sentAt} + ${within})`,
    });
  }
  await db
    .update(deliveries)
    .set({ roundupId: id, state: "sent" })
    .where(
      and(
        to(call),
        eq(deliveries.approvalId, approvalId),
        sql`${deliveries.roundupId} is distinct from ${deliveries.id}`,
        or(eq(deliveries.state, "due"), isNotNull(deliveries.roundupId)),
      ),
    );
  return unsent?.isWaiting ? [] : [id];
}

/** The messages to a recipient. */
export function to({ tenantId, channel, recipientId }: Place): SQL | undefined {
  return and(
    eq(deliveries.tenantId, tenantId),
    eq(deliveries.channel, channel),
    recipientId === null ? sql`false` : eq(deliveries.recipientId, recipientId),
  );
}

/** A roundup only leads to the inbox, so all its calls must be decidable there. */
const isDecidedInInbox = sql`coalesce(${approvals.terms} -> 'decideIn' ? ${inboxPlace}, true)`;

const isHighRisk = sql<boolean>`${approvals.risk} in ('high', 'critical')`;

/** Joins a delivery to its approval. */
const ofApproval = and(eq(approvals.tenantId, deliveries.tenantId), eq(approvals.id, deliveries.approvalId));

/**
 * Counts the other pending calls of this kind of risk of which the recipient was notified within this time, each by a
 * message of its own. Those count as well whose messages are being tried, so that an outage does not end in a storm.
 */
async function messagesLately(
  { db, now }: Session,
  row: DeliveryRow,
  withinMs: number,
  isHigh: boolean,
): Promise<number> {
  const since = sql`${now} - ${withinMs}::double precision * interval '1 millisecond'`;
  // Older ones have been sent or given up. The index on recipients ends with this time.
  const isRecent = gt(deliveries.createdAt, sql`${now} - ${triedDays} * interval '1 day'`);
  const isFirst = or(eq(deliveries.event, "approval.pending"), gt(deliveries.createdAt, since));
  const [found] = await db
    .select({ calls: sql<number>`${count(sql`distinct ${deliveries.approvalId}`)}`.mapWith(Number) })
    .from(deliveries)
    .innerJoin(approvals, ofApproval)
    .where(
      and(
        to(row),
        isRecent,
        isNull(deliveries.roundupId),
        ne(deliveries.approvalId, row.approvalId),
        or(
          and(gt(deliveries.sentAt, since), isFirst),
          and(eq(deliveries.state, "due"), eq(deliveries.sentVersion, 0), gt(deliveries.attempts, 0)),
        ),
        hasStatus("pending"),
        isHigh ? isHighRisk : not(isHighRisk),
      ),
    );
  return found?.calls ?? 0;
}
