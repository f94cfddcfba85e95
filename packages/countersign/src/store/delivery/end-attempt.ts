import { cutText } from "@countersign/policy/internal/shared/engine-text";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, eq, sql } from "drizzle-orm";
import { audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import type { AttemptEnd, ClaimedDelivery, DeliveryState, EndedAttempt } from "../ports/delivery-port.js";
import { deliveries } from "../schema.js";
import { recordFailure, recordSuccess } from "./failing-recipients.js";
import type { DeliveryRow } from "./roundups.js";
import { wakeWaiting } from "./wake-waiting.js";

const maxError = 300;

/** The state of a message after an attempt, and the milliseconds until the next attempt if it is due. */
type Next = readonly [state: DeliveryState, inMs: number];

/**
 * What follows an attempt: `outdated` if the message has changed since it began, and otherwise `current`. The next
 * version of a roundup waits for `repeatMs`.
 */
function nextOf(end: AttemptEnd, repeatMs: number): { current: Next; outdated: Next } {
  switch (end.end) {
    case "sent": {
      const again: Next | undefined = end.againInMs === undefined ? undefined : ["due", end.againInMs];
      return { current: again ?? ["sent", 0], outdated: ["due", repeatMs] };
    }
    case "skipped":
      return { current: ["skipped", 0], outdated: ["due", 0] };
    case "abandoned":
      return { current: ["abandoned", 0], outdated: ["due", 0] };
    case "failed":
      return end.retryInMs === null
        ? { current: ["failed", 0], outdated: ["due", 0] }
        : { current: ["due", end.retryInMs], outdated: ["due", end.retryInMs] };
  }
}

/** Records the end of an attempt, if its sender still holds the lease. */
export async function endAttempt(
  tx: Transaction,
  claimed: ClaimedDelivery,
  end: AttemptEnd,
): Promise<EndedAttempt> {
  const { db, now } = tx;
  const [row] = await db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.id, claimed.id), eq(deliveries.attempts, claimed.attempt)))
    .for("update");
  if (!row) return { againInMs: null, recipient: null };
  const next = nextOf(end, claimed.roundup?.withinMs ?? 0);
  const [state, inMs] = row.wantedVersion > claimed.wantedVersion ? next.outdated : next.current;
  await db
    .update(deliveries)
    .set({
      state,
      leasedUntil: null,
      nextAttemptAt: sql`${now} + ${inMs}::double precision * interval '1 millisecond'`,
      ...(end.end === "sent" && { sentAt: now }),
      ...recordOf(end, claimed, row),
    })
    .where(eq(deliveries.id, row.id));
  if (state === "failed") {
    const { id: deliveryId, tenantId, approvalId, channel, target, event, attempts } = row;
    const data = { deliveryId, channel, target, event, attempts };
    audit(tx, { tenantId, approvalId, type: "delivery.failed", data });
  }
  const recipient = await noteRecipient(tx, claimed, end);
  if (end.end === "sent" && end.wakes !== undefined) await wakeWaiting(tx, row, end.wakes);
  return { againInMs: state === "due" ? inMs : null, recipient };
}

/** What the row keeps of an attempt. */
function recordOf(end: AttemptEnd, claimed: ClaimedDelivery, { uncertain }: DeliveryRow) {
  switch (end.end) {
    case "sent":
      return {
        ...{ sentVersion: claimed.wantedVersion, failures: 0, uncertain: false, lastError: null },
        ...(end.reference !== null && { reference: end.reference }),
      };
    case "skipped":
      return { lastError: storedError(end.why) };
    case "abandoned":
      return {};
    case "failed":
      return {
        failures: claimed.failures + 1,
        lastError: storedError(end.error),
        uncertain: uncertain || end.uncertain,
      };
  }
}

const storedError = (text: string): string => storableText(cutText(text, maxError));

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
