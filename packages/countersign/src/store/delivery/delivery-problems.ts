import { and, eq, exists, gt, isNotNull, lt, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import { deliveries, failingRecipients } from "../schema.js";
import { ofFailingRecipient } from "./failing-recipients.js";

/** Minutes for which a message must have been refused before it counts as a problem. */
const failingMinutes = 15;
/** Days without a new delivery after which a disabled recipient counts as removed from its channel. */
const namedDays = 7;

/** What operators must hear of, over all tenants. */
export async function deliveryProblems({
  db,
  now,
}: Session): Promise<("deliveries_failing" | "recipients_disabled")[]> {
  const [failing] = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.state, "due"),
        gt(deliveries.failures, 0),
        lt(deliveries.occurredAt, sql`${now} - ${failingMinutes} * interval '1 minute'`),
      ),
    )
    .limit(1);
  const recentDelivery = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(ofFailingRecipient, gt(deliveries.createdAt, sql`${now} - ${namedDays} * interval '1 day'`)));
  const [disabled] = await db
    .select({ id: failingRecipients.recipientId })
    .from(failingRecipients)
    .where(and(isNotNull(failingRecipients.disabledAt), exists(recentDelivery)))
    .limit(1);
  return [
    ...(failing ? (["deliveries_failing"] as const) : []),
    ...(disabled ? (["recipients_disabled"] as const) : []),
  ];
}
