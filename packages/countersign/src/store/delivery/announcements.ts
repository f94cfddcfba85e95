import { randomUUID } from "node:crypto";
import { eventOf } from "../../channels/reported-types.js";
import { channelOf } from "../../policy/rules/rule.js";
import { storableText } from "../../shared/storable-text.js";
import type { Transaction } from "../database.js";
import { deliveries } from "../schema.js";

/**
 * Writes what the channels must report of a transaction, in the same transaction: one row for each transition and
 * target. Writes nothing for approvals without channels.
 */
export async function writeAnnouncements({
  db,
  now,
  statementNow,
  audited,
  due,
}: Transaction): Promise<void> {
  const rows = audited.flatMap((entry) => {
    const event = eventOf(entry.type);
    if (event === undefined || !("notify" in entry)) return [];
    return (entry.notify ?? []).map((target) => ({
      id: `dlv_${randomUUID()}`,
      tenantId: storableText(entry.tenantId),
      approvalId: entry.approvalId,
      ...partsOf(target),
      event,
      // One event has one time, whatever the number of its targets: messages about it are recognised by it.
      occurredAt: statementNow,
      nextAttemptAt: now,
      createdAt: now,
    }));
  });
  if (rows.length === 0) return;
  await db.insert(deliveries).values(rows);
  due.push(...rows.map(({ id }) => id));
}

/** The channel and the target of an entry such as `slack:#finance`. */
function partsOf(entry: string): { channel: string; target: string | null } {
  const channel = channelOf(entry);
  return { channel, target: entry.length > channel.length ? entry.slice(channel.length + 1) : null };
}
