import { and, eq, isNull, sql } from "drizzle-orm";
import type { Risk } from "../policy/rule.js";
import type { Session } from "./database.js";
import { approvals, outbox } from "./schema.js";

/** Bounds, in seconds, of the ages by which waiting calls are counted; the last age has none. */
const ageBounds = [60, 300, 1800, 7200, 86_400] as const;

/** What waits over all tenants. Ages are whole seconds by the database's clock, 0 where nothing waits. */
export interface Statistics {
  /** `age` is the first of {@link ageBounds} that is not exceeded, `null` above the last. */
  pending: { risk: Risk; age: number | null; count: number }[];
  oldestPendingSeconds: number;
  outbox: { waiting: number; oldestSeconds: number };
  /** Calls that were cut off, and nobody has said yet what became of them. */
  interrupted: number;
}

export async function statistics({ db, now }: Session): Promise<Statistics> {
  const age = sql`extract(epoch from ${now} - ${approvals.announcedAt})`;
  const bounds = sql.raw(ageBounds.join(", "));
  const bucket = sql<number>`width_bucket(${age}::float8, array[${bounds}]::float8[])`;
  const pending = await db
    .select({ risk: approvals.risk, bucket, count: amount, oldest: seconds(sql`max(${age})`) })
    .from(approvals)
    .where(eq(approvals.status, "pending"))
    .groupBy(sql`1`, sql`2`);
  const [wakeUps] = await db
    .select({
      waiting: amount,
      oldest: seconds(sql`extract(epoch from max(${now} - ${outbox.createdAt}))`),
    })
    .from(outbox);
  const [cutOff] = await db
    .select({ count: amount })
    .from(approvals)
    .where(and(eq(approvals.status, "interrupted"), isNull(approvals.resolutionOutcome)));
  return {
    pending: pending.map(({ risk, bucket: index, count }) => ({
      risk,
      age: ageBounds[Number(index)] ?? null,
      count: Number(count),
    })),
    oldestPendingSeconds: Math.max(0, ...pending.map(({ oldest }) => Number(oldest))),
    outbox: { waiting: Number(wakeUps?.waiting ?? 0), oldestSeconds: Number(wakeUps?.oldest ?? 0) },
    interrupted: Number(cutOff?.count ?? 0),
  };
}

const amount = sql<string>`count(*)::text`;

function seconds(interval: ReturnType<typeof sql>) {
  return sql<string>`greatest(0, floor(coalesce(${interval}, 0)))::bigint::text`;
}
