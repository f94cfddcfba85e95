import { and, eq, exists, gt, gte, isNotNull, lt, or, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import { deliveries, failingRecipients } from "../schema.js";
import { ofFailingRecipient } from "./failing-recipients.js";

/**
 * Minutes of failures after which an unsent message counts as a problem, and minutes for which a message that was given
 * up counts.
 */
const failingMinutes = 15;
/** With the default pauses, this many failures in a row usually take longer than `failingMinutes`. */
const failuresOfAnOutage = 9;
/** Days without a new delivery after which a disabled recipient counts as removed from its channel. */
const namedDays = 7;

/**
 * The time since which a message has waited. A further event restarts this time only if the message was sent before.
 */
export const waitsSince = sql`case when ${deliveries.sentAt} is null
  then least(${deliveries.createdAt}, ${deliveries.occurredAt}) else ${deliveries.occurredAt} end`;

/** The problems that operators must know, over all tenants. */
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
      // For a message that was sent before, each event restarts the time in `waitsSince`, so the failures are counted
      // instead.
      and(lt(deliveries.sentAt, since), gte(deliveries.failures, failuresOfAnOutage)),
    ),
  );
  // When a message is given up, `nextAttemptAt` keeps the time of its last attempt.
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
