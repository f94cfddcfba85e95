import { randomUUID } from "node:crypto";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { and, count, desc, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import type { NewStop, ReleaseStopResult, Stop, StopFilter, StopRelease } from "../../stops/stop.js";
import { actedAs, audit } from "../audit/audit.js";
import { noticeOfStops } from "../connection/change-feed.js";
import { type Session, type Transaction, together } from "../database.js";
import { hasId } from "../rows/has-id.js";
import { approvals, stops } from "../schema.js";

/** Maximum number of engaged stops of one tenant, or for all tenants: every process reads them all. */
const maxEngaged = 100;

/** The audit log for stops of all tenants. No tenant has this name. */
export const systemLog = "";

const claims = sql`hashtextextended('countersign:claims', 0)`;

/** Engages a stop. Returns the engaged stop if the same person has engaged the same one already. */
export async function engageStop(tx: Transaction, stop: NewStop): Promise<Stop> {
  const { tenantId, tool, reason, by } = stop;
  const its = and(ofExactly(tenantId), isNull(stops.releasedAt));
  const same = and(its, eq(stops.tool, tool), eq(stops.reason, reason), eq(stops.engagedBy, by.id));
  const [[engaged], [found]] = await together([
    tx.db.select().from(stops).where(same).limit(1),
    tx.db.select({ count: count() }).from(stops).where(its),
  ]);
  if (engaged) return engaged;
  if ((found?.count ?? 0) >= maxEngaged) {
    throw new CountersignError(
      "stop_limit",
      `${maxEngaged} stops are already engaged; release one, or cover several tools with one glob`,
    );
  }
  const [row] = await tx.db
    .insert(stops)
    .values({ id: `stp_${randomUUID()}`, tenantId, tool, reason, engagedBy: by.id, engagedAt: tx.now })
    .returning();
  if (!row) throw new Error("unreachable: an insert returns its row");
  await announceChange(tx, "stop.engaged", row, by, { tool, reason });
  return row;
}

export async function releaseStop(tx: Transaction, release: StopRelease): Promise<ReleaseStopResult> {
  const { id, tenantId, reason, by } = release;
  const [seen] = await tx.db
    .select()
    .from(stops)
    .where(and(hasId(stops.id, id), seenBy(tenantId)));
  if (!seen) return { outcome: "not_found" };
  if (tenantId !== null && seen.tenantId === null) return { outcome: "forbidden", stop: seen };
  const [released] = await tx.db
    .update(stops)
    .set({ releasedBy: by.id, releasedAt: tx.now, releaseReason: reason })
    .where(and(eq(stops.id, id), ofExactly(seen.tenantId), isNull(stops.releasedAt)))
    .returning();
  if (!released) {
    // Another person may have released it since it was read above.
    const [now] = await tx.db.select().from(stops).where(eq(stops.id, id));
    return { outcome: "repeated", stop: now ?? seen };
  }
  await announceChange(tx, "stop.released", released, by, { tool: released.tool, reason });
  return { outcome: "released", stop: released };
}

/** Stops, newest first, seek-paged: each page starts after the last row of the previous one. */
export async function listStops({ db }: Session, filter: StopFilter): Promise<Stop[]> {
  const { tenantId, engaged, limit, after } = filter;
  return db
    .select()
    .from(stops)
    .where(
      and(
        seenBy(tenantId),
        engaged ? isNull(stops.releasedAt) : undefined,
        after &&
          sql`(${stops.engagedAt}, ${stops.id}) < (${after.at.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(desc(stops.engagedAt), desc(stops.id))
    .limit(limit);
}

/** Tools of calls that were proposed within the last 30 days. */
export async function recentTools({ db, now }: Session, tenantId: string | null): Promise<string[]> {
  const rows = await db
    .selectDistinct({ toolName: approvals.toolName })
    .from(approvals)
    .where(
      and(
        tenantId === null ? undefined : eq(approvals.tenantId, tenantId),
        gt(approvals.createdAt, sql`${now} - interval '30 days'`),
      ),
    );
  return rows.map(({ toolName }) => toolName);
}

/** The engaged stops visible to this transaction; all of them for Countersign itself. */
export async function readEngagedStops({ db }: Session): Promise<Stop[]> {
  return db.select().from(stops).where(isNull(stops.releasedAt));
}

/**
 * Returns once all claims are over that may not have seen a stop engaged before this call: they look for stops behind the
 * same lock (`apply_changes`).
 */
export async function waitForClaims({ db }: Session): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(${claims})`);
}

/** Writes the audit entry, and notifies the processes that serve people who look at approvals. */
async function announceChange(
  tx: Transaction,
  type: "stop.engaged" | "stop.released",
  { id, tenantId }: Stop,
  by: NewStop["by"],
  data: Record<string, unknown>,
): Promise<void> {
  audit(tx, {
    tenantId: tenantId ?? systemLog,
    approvalId: null,
    type,
    actorId: by.id,
    data: { stopId: id, ...data, ...actedAs(by) },
  });
  await tx.db.select({ notice: noticeOfStops(tenantId) }).from(sql`(values (1)) as one`);
}

function ofExactly(tenantId: string | null): SQL {
  return tenantId === null ? isNull(stops.tenantId) : eq(stops.tenantId, tenantId);
}

function seenBy(tenantId: string | null): SQL | undefined {
  return tenantId === null ? undefined : or(eq(stops.tenantId, tenantId), isNull(stops.tenantId));
}
