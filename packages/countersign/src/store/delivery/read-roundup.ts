import { and, asc, count, eq, exists, isNotNull, min } from "drizzle-orm";
import type { RoundupTerms } from "../../channel/roundup.js";
import type { Session } from "../database.js";
import type { ClaimedRoundup } from "../ports/delivery-port.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, deliveries } from "../schema.js";
import { type DeliveryRow, to } from "./roundups.js";

/** Maximum number of calls that are read to add up their amounts. */
const maxSummed = 100;

/**
 * The calls of which the recipient knows only by roundups and that still wait; `null` if the message is no roundup.
 */
export async function readRoundup(
  { db }: Session,
  row: DeliveryRow,
  terms: RoundupTerms | undefined,
): Promise<ClaimedRoundup | null> {
  if (row.roundupId !== row.id) return null;
  const isMember = exists(
    db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(and(to(row), eq(deliveries.approvalId, approvals.id), isNotNull(deliveries.roundupId))),
  );
  // Few calls wait at a time, however many roundups the recipient has had.
  const waiting = and(eq(approvals.tenantId, row.tenantId), hasStatus("pending"), isMember);
  const { toolName, risk } = approvals;
  const groups = await db
    .select({
      ...{ toolName, risk, calls: count() },
      oldest: min(approvals.announcedAt),
      expires: min(approvals.expiresAt),
    })
    .from(approvals)
    .where(waiting)
    .groupBy(toolName, risk);
  const calls = await db.select().from(approvals).where(waiting).orderBy(asc(approvals.id)).limit(maxSummed);
  const withinMs = terms?.withinMs ?? 0;
  return { groups, withinMs, calls: calls.map((call) => approvalFromRow(call, { votes: [] })) };
}
