import { randomUUID } from "node:crypto";
import { and, desc, eq, gt, inArray, isNotNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import type { PushSubscription } from "../ports/push-subscription.js";
import { failingRecipients as failing, pushSubscriptions as subscriptions } from "../schema.js";

/** Maximum subscriptions of one person. Each gets a message about every call. */
const maxOfPerson = 20;
/** Days without a confirmation by an inbox after which a subscription ends: its person may have left. */
const confirmedDays = 30;

const ofPerson = (tenantId: string, principalId: string) =>
  and(eq(subscriptions.tenantId, tenantId), eq(subscriptions.principalId, principalId));

const oldest = (now: SQL) => sql`${now} - ${confirmedDays} * interval '1 day'`;

/**
 * Works for all tenants, because the browser may have belonged to another tenant's person. Returns false if it still
 * does: only the browser itself knows its keys, and whoever has learnt the endpoint alone must not take it over.
 */
export async function savePushSubscription(
  { db, now }: Session,
  tenantId: string,
  { principalId, roles, endpoint, keys }: Omit<PushSubscription, "id">,
): Promise<boolean> {
  const isSame = sql`${subscriptions.tenantId} = excluded.tenant_id and ${subscriptions.principalId} = excluded.principal_id`;
  const hasItsKeys = sql`${subscriptions.p256dh} = excluded.p256dh and ${subscriptions.auth} = excluded.auth`;
  const [saved] = await db
    .insert(subscriptions)
    .values({
      id: `psh_${randomUUID()}`,
      tenantId,
      principalId,
      roles: [...roles],
      endpoint,
      ...keys,
      createdAt: now,
      confirmedAt: now,
    })
    .onConflictDoUpdate({
      target: subscriptions.endpoint,
      setWhere: sql`(${isSame}) or (${hasItsKeys})`,
      set: {
        // With another id, a message that is due to the person before is not sent to this one.
        id: sql`case when ${isSame} then ${subscriptions.id} else excluded.id end`,
        createdAt: sql`case when ${isSame} then ${subscriptions.createdAt} else excluded.created_at end`,
        tenantId: sql`excluded.tenant_id`,
        principalId: sql`excluded.principal_id`,
        roles: sql`excluded.roles`,
        p256dh: sql`excluded.p256dh`,
        auth: sql`excluded.auth`,
        confirmedAt: sql`excluded.confirmed_at`,
      },
    })
    .returning({ id: subscriptions.id });
  if (!saved) return false;
  // The browser is there, so a subscription that was disabled after failures gets another chance.
  await db
    .delete(failing)
    .where(
      and(eq(failing.channel, "push"), eq(failing.recipientId, saved.id), isNotNull(failing.disabledAt)),
    );
  const surplus = db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(ofPerson(tenantId, principalId))
    .orderBy(desc(subscriptions.createdAt), desc(subscriptions.id))
    .offset(maxOfPerson);
  await db
    .delete(subscriptions)
    .where(
      or(
        and(ofPerson(tenantId, principalId), inArray(subscriptions.id, surplus)),
        lt(subscriptions.confirmedAt, oldest(now)),
      ),
    );
  return true;
}

export async function listPushSubscriptions(
  { db, now }: Session,
  tenantId: string,
  id?: string,
): Promise<PushSubscription[]> {
  const rows = await db
    .select()
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.tenantId, tenantId),
        gt(subscriptions.confirmedAt, oldest(now)),
        id === undefined ? undefined : eq(subscriptions.id, id),
      ),
    );
  return rows.map(({ id, principalId, roles, endpoint, p256dh, auth }) => ({
    id,
    principalId,
    roles,
    endpoint,
    keys: { p256dh, auth },
  }));
}

export async function deletePushSubscription(
  { db }: Session,
  tenantId: string,
  which: { id: string } | { principalId: string; endpoint: string },
): Promise<void> {
  const isIt =
    "id" in which
      ? eq(subscriptions.id, which.id)
      : and(eq(subscriptions.principalId, which.principalId), eq(subscriptions.endpoint, which.endpoint));
  await db.delete(subscriptions).where(and(eq(subscriptions.tenantId, tenantId), isIt));
}
