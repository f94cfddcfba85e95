import { and, gt, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import { waitsSince } from "../delivery/delivery-problems.js";
import type { Statistics } from "../ports/reading-port.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, deliveries, engineWatch, failingRecipients, outbox, stops } from "../schema.js";

/** Upper bounds, in seconds, of the age buckets of pending calls; the last bucket has none. */
const ageBounds = [60, 300, 1800, 7200, 86_400] as const;

export async function statistics({ db, now }: Session): Promise<Statistics> {
  const age = sql`extract(epoch from ${now} - ${approvals.announcedAt})`;
  const bounds = sql.raw(ageBounds.join(", "));
  const bucket = sql<number>`width_bucket(${age}::float8, array[${bounds}]::float8[])`;
  const pending = await db
    .select({ risk: approvals.risk, bucket, count: amount, oldest: seconds(sql`max(${age})`) })
    .from(approvals)
    .where(hasStatus("pending"))
    .groupBy(sql`1`, sql`2`);
  const [wakeUps] = await db
    .select({
      waiting: amount,
      oldest: seconds(sql`extract(epoch from max(${now} - ${outbox.createdAt}))`),
    })
    .from(outbox);
  const messages = await db
    .select({
      channel: deliveries.channel,
      state: sql<"due" | "failed">`${deliveries.state}`,
      count: amount,
      oldest: seconds(sql`extract(epoch from max(${now} - ${waitsSince}))`),
    })
    .from(deliveries)
    .where(inArray(deliveries.state, ["due", "failed"]))
    .groupBy(deliveries.channel, deliveries.state);
  const disabled = await db
    .select({ channel: failingRecipients.channel, count: amount })
    .from(failingRecipients)
    .where(isNotNull(failingRecipients.disabledAt))
    .groupBy(failingRecipients.channel);
  const [cutOff] = await db
    .select({ count: amount })
    .from(approvals)
    .where(and(hasStatus("interrupted"), isNull(approvals.resolutionOutcome)));
  const [engaged] = await db.select({ count: amount }).from(stops).where(isNull(stops.releasedAt));
  const relays = await db
    .select({
      appId: engineWatch.appId,
      ranAt: sql<string>`extract(epoch from ${engineWatch.relayedAt})::text`,
    })
    .from(engineWatch)
    // An app that is no longer served would be reported for ever.
    .where(gt(engineWatch.relayedAt, sql`${now} - interval '7 days'`));
  return {
    pending: pending.map(({ risk, bucket: index, count }) => ({
      risk,
      age: ageBounds[Number(index)] ?? null,
      count: Number(count),
    })),
    oldestPendingSeconds: Math.max(0, ...pending.map(({ oldest }) => Number(oldest))),
    outbox: { waiting: Number(wakeUps?.waiting ?? 0), oldestSeconds: Number(wakeUps?.oldest ?? 0) },
    deliveries: messages.map(({ channel, state, count, oldest }) => ({
      channel,
      state,
      count: Number(count),
      oldestSeconds: Number(oldest),
    })),
    disabledRecipients: disabled.map(({ channel, count }) => ({ channel, count: Number(count) })),
    interrupted: Number(cutOff?.count ?? 0),
    engagedStops: Number(engaged?.count ?? 0),
    relays: relays.map(({ appId, ranAt }) => ({ appId, ranAt: Number(ranAt) })),
  };
}

const amount = sql<string>`count(*)::text`;

function seconds(interval: ReturnType<typeof sql>) {
  return sql<string>`greatest(0, floor(coalesce(${interval}, 0)))::bigint::text`;
}
