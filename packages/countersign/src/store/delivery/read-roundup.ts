import { and, asc, count, desc, eq, min, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import type { ClaimedRoundup } from "../ports/delivery-port.js";
import { hasStatus } from "../rows/has-status.js";
import { readForCard } from "../rows/read-for-card.js";
import { approvals, deliveries } from "../schema.js";
import type { DeliveryRow } from "./roundups.js";

/** Maximum number of calls that a roundup lists. */
const maxShown = 10;

/** The calls of a roundup, from their rows; `null` if the delivery is about one call only. */
export async function readRoundup(
  session: Session,
  row: DeliveryRow,
): Promise<(ClaimedRoundup & { since: Date }) | null> {
  const { id, tenantId, roundupId, roundupUntil } = row;
  if (roundupId !== id || roundupUntil === null) return null;
  const { db, now } = session;
  const members = db
    .select({
      approvalId: deliveries.approvalId,
      // The roundup's own call is the first. The rows of the others keep the time at which they joined.
      position: sql<number>`row_number() over (order by
        min(case when ${deliveries.id} = ${id} then '-infinity' else ${deliveries.nextAttemptAt} end),
        ${deliveries.approvalId})::int`.as("joined_as"),
    })
    .from(deliveries)
    .where(and(eq(deliveries.roundupId, id), eq(deliveries.tenantId, tenantId)))
    .groupBy(deliveries.approvalId)
    .as("members");
  const its = and(eq(approvals.tenantId, tenantId), eq(approvals.id, members.approvalId));
  const isOpen = sql<boolean>`${approvals.status} = 'pending'`;
  const groups = await db
    .select({
      toolName: approvals.toolName,
      risk: approvals.risk,
      open: isOpen,
      calls: count(),
      oldest: min(approvals.announcedAt),
      expires: min(approvals.expiresAt),
    })
    .from(members)
    .innerJoin(approvals, its)
    .groupBy(approvals.toolName, approvals.risk, isOpen);
  const waiting = () =>
    db
      .select({ id: approvals.id, position: members.position })
      .from(members)
      .innerJoin(approvals, its)
      .where(hasStatus("pending"));
  const riskiest = await waiting()
    .orderBy(
      sql`array_position(array['critical', 'high', 'medium', 'low'], ${approvals.risk})`,
      asc(approvals.announcedAt),
      asc(approvals.id),
    )
    .limit(maxShown);
  const latest = await waiting().orderBy(desc(members.position)).limit(maxShown);
  const cards = new Map<string, ClaimedRoundup["newest"][number]>();
  for (const { id: approvalId, position } of [...riskiest, ...latest]) {
    const read = cards.has(approvalId) ? undefined : await readForCard(session, tenantId, approvalId);
    if (read) cards.set(approvalId, { ...read, position });
  }
  const replaced = await db
    .select({ id: deliveries.id, createdAt: deliveries.createdAt })
    .from(deliveries)
    .where(
      and(eq(deliveries.roundupId, id), eq(deliveries.tenantId, tenantId), eq(deliveries.uncertain, true)),
    );
  const [left] = await db
    .select({
      ms: sql<number>`extract(epoch from ${deliveries.roundupUntil} - ${now})::double precision * 1000`,
    })
    .from(deliveries)
    .where(eq(deliveries.id, id));
  return {
    groups,
    calls: riskiest.flatMap((call) => cards.get(call.id) ?? []),
    newest: latest.reverse().flatMap((call) => cards.get(call.id) ?? []),
    joinsForMs: Math.ceil(Number(left?.ms ?? 0)),
    replaces: replaced.flatMap((member) => (member.id === id ? [] : [member.id])),
    since: new Date(Math.min(...[row, ...replaced].map(({ createdAt }) => createdAt.getTime()))),
  };
}
