import { cutText } from "@countersign/policy/internal/shared/engine-text";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, eq, inArray, sql } from "drizzle-orm";
import { audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import type { AttemptEnd, ClaimedDelivery, EndedAttempt } from "../ports/delivery-port.js";
import { deliveries } from "../schema.js";
import { recordFailure, recordSuccess } from "./failing-recipients.js";
import { wakeWaiting } from "./wake-waiting.js";

const maxError = 300;

/**
 * Records the end of an attempt, if its sender still holds the lease. If the message has changed since the attempt
 * began, it is due again, whatever the outcome.
 */
export async function endAttempt(
  tx: Transaction,
  claimed: ClaimedDelivery,
  end: AttemptEnd,
): Promise<EndedAttempt> {
  const { db, now } = tx;
  const againInMs = end.end === "sent" ? (end.againInMs ?? null) : null;
  const outdated = sql`${deliveries.wantedVersion} > ${claimed.wantedVersion}`;
  // A call joined the roundup during the attempt. It must not wait for the pause after earlier failures.
  const begunAnew = sql`${deliveries.failures} < ${claimed.failures}`;
  const [row] = await db
    .update(deliveries)
    .set({
      leasedUntil: null,
      ...(end.end === "sent" && {
        state: sql`case when ${outdated} or ${againInMs !== null} then 'due' else 'sent' end`,
        sentVersion: claimed.wantedVersion,
        sentAt: now,
        nextAttemptAt: sql`case when ${outdated} then ${now}
          else ${now} + ${againInMs ?? 0}::double precision * interval '1 millisecond' end`,
        failures: 0,
        uncertain: false,
        lastError: null,
        ...(end.reference === null ? {} : { reference: end.reference }),
      }),
      ...(end.end === "skipped" && {
        state: sql`case when ${outdated} then 'due' else 'skipped' end`,
        lastError: storableText(cutText(end.why, maxError)),
      }),
      ...(end.end === "abandoned" && { state: sql`case when ${outdated} then 'due' else 'abandoned' end` }),
      ...(end.end === "failed" && {
        state: end.retryInMs === null ? sql`case when ${outdated} then 'due' else 'failed' end` : "due",
        failures: sql`case when ${begunAnew} then 0 else ${claimed.failures + 1}::integer end`,
        nextAttemptAt: sql`case when ${begunAnew} then ${now}
          else ${now} + ${end.retryInMs ?? 0}::double precision * interval '1 millisecond' end`,
        lastError: storableText(cutText(end.error, maxError)),
        uncertain: sql`${deliveries.uncertain} or ${end.uncertain}`,
      }),
    })
    .where(and(eq(deliveries.id, claimed.id), eq(deliveries.attempts, claimed.attempt)))
    .returning();
  if (!row) return { againInMs: null, recipient: null };
  if (row.state === "failed") {
    const { tenantId, approvalId, channel, target, event, attempts } = row;
    audit(tx, {
      tenantId,
      approvalId,
      type: "delivery.failed",
      data: { deliveryId: row.id, channel, target, event, attempts },
    });
  }
  if (end.end === "sent" && claimed.roundup && claimed.roundup.replaces.length > 0) {
    const replaced = inArray(deliveries.id, claimed.roundup.replaces);
    await db.update(deliveries).set({ uncertain: false }).where(replaced);
  }
  const recipient = await noteRecipient(tx, claimed, end);
  if (end.end === "sent" && end.wakes !== undefined) await wakeWaiting(tx, row, end.wakes);
  if (row.state !== "due") return { againInMs: null, recipient };
  if (end.end === "failed") return { againInMs: row.failures === 0 ? 0 : (end.retryInMs ?? 0), recipient };
  return { againInMs: row.wantedVersion > claimed.wantedVersion ? 0 : (againInMs ?? 0), recipient };
}

async function noteRecipient(
  tx: Transaction,
  claimed: ClaimedDelivery,
  end: AttemptEnd,
): Promise<EndedAttempt["recipient"]> {
  if (end.end === "sent") return recordSuccess(tx, claimed);
  if (end.end === "failed" && end.disableAfterMs !== undefined)
    return recordFailure(tx, claimed, end.disableAfterMs);
  return null;
}
