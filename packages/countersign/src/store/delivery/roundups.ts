import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { and, desc, eq, gt, inArray, isNotNull, isNull, lte, ne, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { DeliveryEvent } from "../../channel/channel.js";
import type { RoundupTerms } from "../../channel/roundup.js";
import type { Session } from "../database.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, deliveries } from "../schema.js";

export type DeliveryRow = typeof deliveries.$inferSelect;

/** Seconds for which a message waits until the other calls announced with it have recipients. */
const gatherSeconds = 10;

/** A reminder or an escalation that has not been sent. People must be notified of it, even if other events follow. */
export const isUnsentReminder = sql`(${deliveries.state} = 'due'
  and ${deliveries.event} in ('approval.reminded', 'approval.escalated'))`;

/** The tenant and the channel. Together with a recipient id, they identify a conversation or an address. */
interface Place {
  tenantId: string;
  channel: string;
}

/** Makes transactions that change the roundups of one recipient wait for each other until the commit. */
export async function lockRecipient(
  { db }: Session,
  { tenantId, channel }: Place,
  recipientId: string,
): Promise<void> {
  const name = JSON.stringify(["countersign:roundup", tenantId, channel, recipientId]);
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** Whether other calls that were announced at about the same time may still get the same recipient. */
export async function isGathering({ db, now }: Session, row: DeliveryRow): Promise<boolean> {
  if (row.roundupId === null && row.sentVersion > 0) return false;
  const since = sql`${now} - ${gatherSeconds} * interval '1 second'`;
  const [coming] = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.tenantId, row.tenantId),
        eq(deliveries.channel, row.channel),
        sql`${deliveries.recipientId} is null`,
        eq(deliveries.state, "due"),
        eq(deliveries.failures, 0),
        or(eq(deliveries.attempts, 0), gt(deliveries.leasedUntil, now)),
        gt(deliveries.createdAt, since),
        // A steady stream of further calls must not delay this message for longer.
        sql`${row.nextAttemptAt.toISOString()}::timestamptz > ${since}`,
      ),
    )
    .limit(1);
  return coming !== undefined;
}

/**
 * Puts a message that is about to be sent for the first time into a roundup: the recipient's current one, or a new one
 * if too many calls were announced to the recipient. Returns the id of the roundup that now reports the call. Returns
 * `null` if the message itself is to be sent, alone or as a new roundup. The first message over the limit is sent
 * alone, and becomes a roundup when a second call joins it.
 *
 * Calls of high and critical risk are counted by themselves, so that few of them do not disappear among many others.
 */
export async function placeInRoundup(
  session: Session,
  row: DeliveryRow & { recipientId: string },
  { after, withinMs }: RoundupTerms,
): Promise<string | null> {
  const { db, now } = session;
  const unsent = await unsentCalls(session, row);
  const own = unsent.find(({ id }) => id === row.id);
  // A message that waits after a failure must not delay others.
  if (!own?.isNow) return null;
  const { isHigh } = own;
  const calls = unsent.filter((call) => call.isHigh === isHigh);
  const waiting = new Set(calls.map(({ approvalId }) => approvalId));
  const lately = await announcedLately(session, row, { waiting, withinMs, isHigh });
  const isMany = waiting.size + lately > after;
  const current = isHigh && !isMany ? null : await presentRoundup(session, row, isHigh);
  if (current !== null) {
    await join(session, calls, current);
    await changeRoundups(session, [current], "approval.pending", { joins: true });
    return current;
  }
  if (!isMany) return null;
  const roundupUntil = sql`${now} + ${withinMs}::double precision * interval '1 millisecond'`;
  await db.update(deliveries).set({ roundupUntil }).where(eq(deliveries.id, row.id));
  if (waiting.size > 1) await join(session, calls, row.id);
  return null;
}

/** Adds calls to a message, which thereby becomes a roundup. `nextAttemptAt` keeps the time at which each joined. */
async function join(
  { db, now }: Session,
  calls: readonly { id: string }[],
  roundupId: string,
): Promise<void> {
  await db.update(deliveries).set({ roundupId }).where(eq(deliveries.id, roundupId));
  const ids = calls.flatMap(({ id }) => (id === roundupId ? [] : [id]));
  const joined = { roundupId, state: "sent", nextAttemptAt: now } as const;
  if (ids.length > 0) await db.update(deliveries).set(joined).where(inArray(deliveries.id, ids));
}

/**
 * Makes roundups due because one of their calls has changed. Returns the ids of those that exist. A roundup that waits
 * after failures keeps waiting, unless a call joins (`joins`) that people do not know of yet: then its attempts begin
 * anew. A roundup whose channel asked to be called again later is due at once.
 */
export async function changeRoundups(
  { db, now }: Session,
  ids: readonly string[],
  event: DeliveryEvent,
  { joins = false } = {},
): Promise<string[]> {
  if (ids.length === 0) return [];
  const isDue = sql`${deliveries.state} = 'due'`;
  const keepsWaiting = joins ? sql`false` : sql`${isDue} and ${deliveries.failures} > 0`;
  const changed = await db
    .update(deliveries)
    .set({
      wantedVersion: sql`${deliveries.wantedVersion} + 1`,
      event: sql`case when ${isUnsentReminder} then ${deliveries.event} else ${event} end`,
      occurredAt: now,
      state: "due",
      nextAttemptAt: sql`case when ${keepsWaiting} then ${deliveries.nextAttemptAt}
        when ${isDue} then least(${deliveries.nextAttemptAt}, ${now}) else ${now} end`,
      failures: sql`case when ${keepsWaiting} then ${deliveries.failures} else 0 end`,
    })
    .where(inArray(deliveries.id, [...ids].sort()))
    .returning({ id: deliveries.id });
  return changed.map(({ id }) => id);
}

function to({ tenantId, channel, recipientId }: Place & { recipientId: string | null }): SQL | undefined {
  return and(
    eq(deliveries.tenantId, tenantId),
    eq(deliveries.channel, channel),
    recipientId === null ? sql`false` : eq(deliveries.recipientId, recipientId),
  );
}

/** A roundup only leads to the inbox, so all its calls must be decidable there. */
const isDecidedInInbox = sql`${approvals.terms} -> 'decideIn' @> ${JSON.stringify([inboxPlace])}::jsonb`;

const isHighRisk = sql<boolean>`${approvals.risk} in ('high', 'critical')`;

/**
 * Seconds after which an attempt of unknown outcome no longer keeps a call out of a roundup. If its message was sent
 * after all, the roundup replaces it.
 */
const settledSeconds = 60;

/**
 * Unsent messages to the recipient about pending calls, if the recipient knows nothing of the call yet and a roundup
 * may report it. `isNow`: due now.
 */
async function unsentCalls(
  { db, now }: Session,
  row: DeliveryRow,
): Promise<{ id: string; approvalId: string; isNow: boolean; isHigh: boolean }[]> {
  const earlier = alias(deliveries, "earlier");
  const settled = sql`${now} - ${settledSeconds} * interval '1 second'`;
  const isNow = sql<boolean>`${deliveries.nextAttemptAt} <= ${now}`;
  return db
    .select({ id: deliveries.id, approvalId: deliveries.approvalId, isNow, isHigh: isHighRisk })
    .from(deliveries)
    .innerJoin(approvals, ofApproval)
    .where(
      and(
        to(row),
        eq(deliveries.state, "due"),
        eq(deliveries.sentVersion, 0),
        or(eq(deliveries.uncertain, false), lte(deliveries.createdAt, settled)),
        sql`${deliveries.leasedUntil} is null`,
        sql`${deliveries.roundupId} is null`,
        hasStatus("pending"),
        isDecidedInInbox,
        sql`not exists ${db
          .select({ id: earlier.id })
          .from(earlier)
          .where(
            and(
              eq(earlier.tenantId, deliveries.tenantId),
              eq(earlier.approvalId, deliveries.approvalId),
              eq(earlier.channel, deliveries.channel),
              eq(earlier.recipientId, deliveries.recipientId),
              ne(earlier.id, deliveries.id),
              or(
                gt(earlier.sentVersion, 0),
                and(eq(earlier.uncertain, true), gt(earlier.createdAt, settled)),
                isNotNull(earlier.leasedUntil),
              ),
            ),
          )}`,
      ),
    );
}

/**
 * The recipient's roundup that further calls may join: a recent one, or one that has not been sent. Or the message that
 * becomes one when a call joins it, if its call is still pending.
 */
async function presentRoundup(
  { db, now }: Session,
  row: DeliveryRow,
  isHigh: boolean,
): Promise<string | null> {
  const isRoundup = eq(deliveries.roundupId, deliveries.id);
  const mayBecomeOne = and(hasStatus("pending"), isHigh ? undefined : not(isHighRisk));
  const [found] = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .innerJoin(approvals, ofApproval)
    .where(
      and(
        to(row),
        ne(deliveries.id, row.id),
        isNotNull(deliveries.roundupUntil),
        or(isRoundup, and(isNull(deliveries.roundupId), mayBecomeOne)),
        or(
          and(gt(deliveries.roundupUntil, now), inArray(deliveries.state, ["due", "sent"])),
          and(isRoundup, eq(deliveries.state, "due"), eq(deliveries.sentVersion, 0)),
        ),
      ),
    )
    .orderBy(desc(deliveries.roundupUntil))
    .limit(1);
  return found?.id ?? null;
}

/** Counts the other pending calls of this kind of risk that were announced to the recipient within this time. */
async function announcedLately(
  { db, now }: Session,
  row: DeliveryRow,
  { waiting, withinMs, isHigh }: { waiting: ReadonlySet<string>; withinMs: number; isHigh: boolean },
): Promise<number> {
  const since = sql`${now} - ${withinMs}::double precision * interval '1 millisecond'`;
  const rows = await db
    .selectDistinct({ approvalId: deliveries.approvalId })
    .from(deliveries)
    .innerJoin(approvals, ofApproval)
    .where(
      and(
        to(row),
        gt(deliveries.createdAt, since),
        gt(approvals.announcedAt, since),
        hasStatus("pending"),
        isHigh ? isHighRisk : not(isHighRisk),
      ),
    );
  return rows.filter(({ approvalId }) => !waiting.has(approvalId)).length;
}

/** Joins a delivery to its approval. */
const ofApproval = and(eq(approvals.tenantId, deliveries.tenantId), eq(approvals.id, deliveries.approvalId));
