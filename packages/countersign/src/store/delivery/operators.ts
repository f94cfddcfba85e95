import { and, asc, desc, eq, inArray, isNotNull, lt, notInArray, or, type SQL } from "drizzle-orm";
import { actedAs, audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import type { DeliveryFilter, DeliveryPort, DeliveryRecord } from "../ports/delivery-port.js";
import { deliveries } from "../schema.js";
import type { DeliveryRow } from "./roundups.js";

/** Omits deliveries whose recipients have deliveries of their own. */
const withoutSpread = or(
  isNotNull(deliveries.recipientId),
  notInArray(deliveries.state, ["sent", "skipped"]),
);

export async function listDeliveries(
  { db }: Session,
  tenantId: string,
  approvalId: string,
): Promise<DeliveryRecord[]> {
  const rows = await db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.tenantId, tenantId), eq(deliveries.approvalId, approvalId), withoutSpread))
    .orderBy(asc(deliveries.createdAt), asc(deliveries.id));
  const records = await recordsOf(db, rows);
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

/** A page of deliveries, newest first. */
export async function findDeliveries(
  { db }: Session,
  { tenantId, approvalId, state, after, limit }: DeliveryFilter,
): Promise<DeliveryRecord[]> {
  const rows = await db
    .select()
    .from(deliveries)
    .where(
      and(
        ofTenant(tenantId),
        approvalId === undefined ? undefined : eq(deliveries.approvalId, approvalId),
        state === undefined ? undefined : eq(deliveries.state, state),
        after &&
          or(
            lt(deliveries.createdAt, after.at),
            and(eq(deliveries.createdAt, after.at), lt(deliveries.id, after.id)),
          ),
        withoutSpread,
      ),
    )
    .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
    .limit(limit);
  return recordsOf(db, rows);
}

/** Sends a message again that was given up. One that is due or was sent stays as it is. */
export async function replayDelivery(
  tx: Transaction,
  { tenantId, by, deliveryId }: Parameters<DeliveryPort["replayDelivery"]>[0],
): Promise<DeliveryRecord | undefined> {
  const its = and(eq(deliveries.id, deliveryId), ofTenant(tenantId));
  const [again] = await tx.db
    .update(deliveries)
    .set({ state: "due", failures: 0, nextAttemptAt: tx.now, replayedAt: tx.now })
    .where(and(its, inArray(deliveries.state, ["failed", "abandoned", "skipped"])))
    .returning();
  if (again) {
    tx.due.push(again.id);
    audit(tx, {
      tenantId: again.tenantId,
      approvalId: again.approvalId,
      type: "delivery.replayed",
      actorId: by.id,
      data: { deliveryId, channel: again.channel, ...actedAs(by) },
    });
    return recordOf(again);
  }
  const [row] = await tx.db.select().from(deliveries).where(its);
  return row && recordOf(row);
}

function ofTenant(tenantId: string | null): SQL | undefined {
  return tenantId === null ? undefined : eq(deliveries.tenantId, tenantId);
}

/** The records of deliveries. For a call of a roundup, they show the state of the roundup. */
async function recordsOf(db: Session["db"], rows: readonly DeliveryRow[]): Promise<DeliveryRecord[]> {
  const ids = rows.flatMap(({ id, roundupId }) =>
    roundupId !== null && roundupId !== id ? [roundupId] : [],
  );
  const roundups = new Map<string, DeliveryRow>();
  if (ids.length > 0) {
    for (const roundup of await db.select().from(deliveries).where(inArray(deliveries.id, ids))) {
      roundups.set(`${roundup.tenantId} ${roundup.id}`, roundup);
    }
  }
  return rows.map((row) => recordOf(row, roundups.get(`${row.tenantId} ${row.roundupId}`)));
}

/** @param message The roundup that reports the call. */
function recordOf(row: DeliveryRow, message: DeliveryRow = row): DeliveryRecord {
  const { tenantId, approvalId, channel, target, recipientId, recipientLabel, event, occurredAt } = row;
  const { id, state } = message;
  return {
    id,
    tenantId,
    approvalId,
    channel,
    target,
    event,
    occurredAt,
    state,
    inRoundup: row.roundupId !== null,
    recipient: recipientId === null ? null : { id: recipientId, label: recipientLabel ?? recipientId },
    attempts: message.attempts,
    nextAttemptAt: state === "due" ? message.nextAttemptAt : null,
    lastError: message.lastError,
    createdAt: row.createdAt,
    sentAt: message.sentAt,
  };
}
