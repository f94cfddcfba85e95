import { and, eq, exists, gt, gte, isNotNull, lt, or, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import { deliveries, failingRecipients } from "../schema.js";
import { ofFailingRecipient } from "./failing-recipients.js";

/** Minutes for which a message must have been refused before it counts as a problem, and for which one that was given up counts. */
const failingMinutes = 15;
/** Failures in a row that take longer than that with the usual pauses. */
const failuresOfAnOutage = 9;
/** Days without a new delivery after which a disabled recipient counts as removed from its channel. */
const namedDays = 7;

/** Since when a message has waited. Further events begin this time anew only if the message was sent before. */
export const waitsSince = sql`case when ${deliveries.sentAt} is null
  then least(${deliveries.createdAt}, ${deliveries.occurredAt}) else ${deliveries.occurredAt} end`;

/** What operators must hear of, over all tenants. */
export async function deliveryProblems({
  db,
  now,
}: Session): Promise<("deliveries_failing" | "recipients_disabled")[]> {
  const since = sql`${now} - ${failingMinutes} * interval '1 minute'`;
  const refused = and(
    eq(deliveries.state, "due"),
    gt(deliveries.failures, 0),
    or(
      lt(waitsSince, since),
      // Each event begins the time of a message that was sent before anew.
      and(lt(deliveries.sentAt, since), gte(deliveries.failures, failuresOfAnOutage)),
    ),
  );
  // The last attempt at a message that was given up leaves its time as that of the next one.
  const givenUp = and(eq(deliveries.state, "failed"), gt(deliveries.nextAttemptAt, since));
  const [failing] = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(or(refused, givenUp))
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
