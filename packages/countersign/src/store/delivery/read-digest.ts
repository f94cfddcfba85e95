import { and, asc, count, eq, inArray, min, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import { readForCard } from "../reading/read-for-card.js";
import { approvals, deliveries } from "../schema.js";
import type { ClaimedDigest } from "./delivery-port.js";
import type { DeliveryRow } from "./digests.js";

/** Maximum number of calls that a digest lists. */
const maxShown = 10;

/** The calls of a digest, from their rows; `null` if the delivery is about one call only. */
export async function readDigest(session: Session, row: DeliveryRow): Promise<ClaimedDigest | null> {
  const { id, tenantId, digestId, digestUntil } = row;
  if (digestId !== id || digestUntil === null) return null;
  const { db, now } = session;
  const its = and(
    eq(approvals.tenantId, tenantId),
    inArray(
      approvals.id,
      db
        .select({ id: deliveries.approvalId })
        .from(deliveries)
        .where(and(eq(deliveries.digestId, id), eq(deliveries.tenantId, tenantId))),
    ),
  );
  const isOpen = sql<boolean>`${approvals.status} = 'pending'`;
  const groups = await db
    .select({
      ...{ toolName: approvals.toolName, risk: approvals.risk },
      ...{ open: isOpen, calls: count(), oldest: min(approvals.announcedAt) },
      expires: min(approvals.expiresAt),
    })
    .from(approvals)
    .where(its)
    .groupBy(approvals.toolName, approvals.risk, isOpen);
  const first = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(its, eq(approvals.status, "pending")))
    .orderBy(
      sql`array_position(array['critical', 'high', 'medium', 'low'], ${approvals.risk})`,
      asc(approvals.announcedAt),
      asc(approvals.id),
    )
    .limit(maxShown);
  const calls: ClaimedDigest["calls"] = [];
  for (const call of first) {
    const read = await readForCard(session, tenantId, call.id);
    if (read) calls.push(read);
  }
  const [left] = await db
    .select({
      ms: sql<number>`extract(epoch from ${deliveries.digestUntil} - ${now})::double precision * 1000`,
    })
    .from(deliveries)
    .where(eq(deliveries.id, id));
  return { groups, calls, joinsForMs: Math.ceil(Number(left?.ms ?? 0)) };
}
