// A store whose clock a test can set back, to write approvals that are years old.
import type { Approval, Principal } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { openStore, runSql } from "../audit-log.js";
import type { TestDatabase } from "../databases.js";
import { proposeCall } from "../proposals.js";
import type { Store } from "../store.js";

export const signer = createEvidenceSigner("a-secret-of-at-least-thirty-two-bytes");

const dayMs = 86_400_000;

export async function openPast(database: TestDatabase) {
  let offsetMs = 0;
  const store = await openStore(database, () => offsetMs);
  return {
    store,
    /** Runs the work with the store's clock set back by this many days. */
    async daysAgo<T>(days: number, work: () => Promise<T>): Promise<T> {
      const before = offsetMs;
      offsetMs = -days * dayMs;
      try {
        return await work();
      } finally {
        offsetMs = before;
      }
    },
  };
}

export type Past = Awaited<ReturnType<typeof openPast>>;

export const personOf = (tenantId: string, id = "ada"): Principal => ({ id, tenantId, roles: ["finance"] });

type Options = NonNullable<Parameters<typeof proposeCall>[1]>;

export async function oneCall(store: Store, options: Options = {}): Promise<Approval> {
  const [call] = await proposeCall(store, options);
  if (!call) throw new Error("unreachable");
  return call;
}

/** A call that was approved, with signed evidence, and has run. Its request is settled. */
export async function executedCall(store: Store, options: Options = {}): Promise<Approval> {
  const call = await approvedCall(store, options);
  await store.claim(call.id, "once", () => undefined, signer);
  await store.finish(call.id, { status: "executed", outcomeJson: "{}" });
  return call;
}

/** A call that was approved and has not started; its request is settled. */
export async function approvedCall(store: Store, options: Options = {}): Promise<Approval> {
  const call = await oneCall(store, options);
  const principal = personOf(call.tenantId);
  await store.decide(
    { approvalId: call.id, principal, type: "approve", digest: call.digest, reason: "Fine" },
    signer,
  );
  await store.settle(call.requestId, 0);
  return call;
}

/** A call that was interrupted. */
export async function interruptedCall(store: Store, options: Options = {}): Promise<Approval> {
  const call = await approvedCall(store, options);
  await store.claim(call.id, "once", () => undefined, signer);
  await store.finish(call.id, { status: "interrupted" });
  return call;
}

/** Ends all deliveries about a call, as if they had been sent. */
export async function endDeliveries(store: Store, { tenantId, id }: Approval): Promise<void> {
  for (const { id: deliveryId, channel } of await store.listDeliveries(tenantId, id)) {
    const claimed = await store.claimDelivery(deliveryId, [channel]);
    if (typeof claimed === "string" || "roundups" in claimed) throw new Error("The delivery is not due");
    await store.endAttempt(claimed, { end: "sent", reference: null });
  }
}

/** The number of rows that a tenant has in each table that has tenants. */
export async function rowCounts(database: TestDatabase, tenantId: string): Promise<Record<string, number>> {
  const tables = await runSql(
    database,
    `select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'tenant_id'
     where relnamespace = 'countersign'::regnamespace and relkind = 'r'`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await runSql(
      database,
      `select count(*)::int as count from countersign.${name} where tenant_id = $1`,
      [tenantId],
    );
    counts[String(name)] = Number(row?.count);
  }
  return counts;
}
