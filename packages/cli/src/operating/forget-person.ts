import type { Transaction } from "countersign/internal/maintenance";
import {
  approvals,
  evidence,
  grants,
  preferences,
  pushSubscriptions,
  refusals,
  requests,
  snoozes,
  threads,
  viewers,
  votes,
} from "countersign/schema";
import { and, count, eq, or, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { isRequestOf } from "./prunable.js";
import type { KeptData, RemovedRows } from "./retention-port.js";

/** Deletes the data that concerns a person alone. Their requests and threads are deleted in batches before. */
export async function forgetPerson(
  tx: Transaction,
  { tenantId, personId, by }: { tenantId: string; personId: string; by: string | null },
): Promise<RemovedRows> {
  const own = { preferences, push_subscriptions: pushSubscriptions, viewers, snoozes, refusals };
  const counts: RemovedRows = {};
  for (const [name, table] of Object.entries(own)) {
    const gone = await tx.db
      .delete(table as PgTable)
      .where(and(eq(table.tenantId, tenantId), eq(table.principalId, personId)))
      .returning({ one: sql`1` });
    if (gone.length > 0) counts[name] = gone.length;
  }
  // Deleting a person must not add their id to the log.
  tx.audited.push({
    tenantId,
    approvalId: null,
    type: "retention.forgotten",
    actorId: by,
    data: { removed: counts },
  });
  return counts;
}

export async function keptOf(tx: Transaction, tenantId: string, personId: string): Promise<KeptData> {
  const amount = async (
    table: PgTable & { tenantId: typeof threads.tenantId },
    condition: SQL | undefined,
  ) => {
    const [row] = await tx.db
      .select({ count: count() })
      .from(table as PgTable)
      .where(and(eq(table.tenantId, tenantId), condition));
    return Number(row?.count ?? 0);
  };
  const countIn = amount as (table: unknown, condition: SQL | undefined) => Promise<number>;
  return {
    requests: await countIn(requests, isRequestOf(personId)),
    threads: await countIn(threads, eq(threads.ownerId, personId)),
    decisions: await countIn(approvals, eq(approvals.decidedBy, personId)),
    votes: await countIn(votes, eq(votes.principalId, personId)),
    grants: await countIn(
      grants,
      or(eq(grants.grantedBy, personId), and(eq(grants.scope, "user"), eq(grants.scopeId, personId))),
    ),
    proofs: await countIn(evidence, eq(evidence.principalId, personId)),
  };
}
