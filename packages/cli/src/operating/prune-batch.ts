import type { Transaction } from "countersign/internal/maintenance";
import {
  approvals,
  countedCalls,
  deliveries,
  evidence,
  grants,
  refusals,
  requests,
  snoozes,
  stops,
  threadEntries,
  threads,
  viewers,
  votes,
} from "countersign/schema";
import { and, eq, inArray, isNull, lte, not, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import {
  isGrantOver,
  isProofOver,
  isRequestCounted,
  isRequestOf,
  isRequestOver,
  isStopOver,
  isThreadOver,
} from "./prunable.js";
import {
  allTenants,
  type PruneBatch,
  type PruneCursor,
  type PrunedBatch,
  type PrunedKind,
  type RemovedRows,
} from "./retention-port.js";

/** Maximum threads per batch: each may have thousands of entries. */
const maxThreads = 20;

/**
 * Deletes finished records of one kind, oldest first. It locks their rows and skips locked ones, so that nobody waits
 * for it, and two prunes delete different rows.
 */
export async function pruneBatch(tx: Transaction, batch: PruneBatch): Promise<PrunedBatch> {
  const limit = batch.kind === "threads" ? Math.min(batch.limit, maxThreads) : batch.limit;
  const found = await candidates(tx, batch, limit);
  if (found.length === 0) return { removed: {}, next: undefined };
  const ids = found.map(({ id }) => id);
  const counts = await removers[batch.kind](tx, batch.tenantId, ids);
  const removed = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  tx.audited.push({
    tenantId: batch.tenantId,
    approvalId: null,
    type: "retention.pruned",
    actorId: batch.by,
    data: { kind: batch.kind, before: batch.before.toISOString(), removed },
  });
  return { removed, next: found.length < limit ? undefined : found.at(-1) };
}

/** The source of each kind: its table, its age, and the condition for a finished row. */
function sourceOf({ kind, before, personId }: PruneBatch, { now }: Transaction) {
  switch (kind) {
    case "requests":
      return {
        table: requests,
        age: requests.createdAt,
        // The data of a person goes even if it counts.
        isOver: and(
          isRequestOver(before),
          personId === undefined ? not(isRequestCounted(now)) : isRequestOf(personId),
        ),
      };
    case "threads":
      return {
        table: threads,
        age: threads.updatedAt,
        isOver: and(
          isThreadOver(before, now),
          personId === undefined ? undefined : eq(threads.ownerId, personId),
        ),
      };
    case "grants":
      return { table: grants, age: grants.expiresAt, isOver: isGrantOver(before) };
    case "proofs":
      return { table: evidence, age: evidence.expiresAt, isOver: isProofOver(before) };
    case "stops":
      return { table: stops, age: stops.releasedAt, isOver: isStopOver(before) };
  }
}

async function candidates(tx: Transaction, batch: PruneBatch, limit: number): Promise<PruneCursor[]> {
  const { table, age, isOver } = sourceOf(batch, tx);
  const { tenantId, after } = batch;
  const inTenant = tenantId === allTenants ? isNull(table.tenantId) : eq(table.tenantId, tenantId);
  const continues =
    after && sql`(${age}, ${table.id}) > (${after.at.toISOString()}::timestamptz, ${after.id})`;
  const rows = await tx.db
    .select({ id: sql<string>`${table.id}`, at: sql<string>`${milliseconds(age)}` })
    .from(table as PgTable)
    .where(and(inTenant, isOver, continues))
    .orderBy(age, table.id)
    .limit(limit)
    .for("update", { skipLocked: true });
  return rows.map(({ id, at }) => ({ id, at: new Date(Number(at)) }));
}

function milliseconds(time: AnyPgColumn): SQL {
  return sql`(extract(epoch from ${time}) * 1000)::bigint::text`;
}

type Remove = (tx: Transaction, tenantId: string, ids: string[]) => Promise<RemovedRows>;

const removers: Record<PrunedKind, Remove> = {
  requests: removeRequests,
  threads: removeThreads,
  grants: async (tx, tenantId, ids) => ({
    grants: await remove(tx, grants, of(grants, grants.id, tenantId, ids)),
  }),
  proofs: async (tx, tenantId, ids) => ({
    evidence: await remove(tx, evidence, of(evidence, evidence.id, tenantId, ids)),
  }),
  stops: async (tx, _tenantId, ids) => ({ stops: await remove(tx, stops, inArray(stops.id, ids)) }),
};

/**
 * Deletes requests with everything that belongs to them. Evidence stays until it expires, as long as it could be used.
 */
async function removeRequests(tx: Transaction, tenantId: string, ids: string[]): Promise<RemovedRows> {
  const { db, now } = tx;
  const its = of(approvals, approvals.requestId, tenantId, ids);
  const calls = (await db.select({ id: approvals.id }).from(approvals).where(its)).map(({ id }) => id);
  const about = (
    table:
      | typeof viewers
      | typeof snoozes
      | typeof votes
      | typeof refusals
      | typeof deliveries
      | typeof countedCalls
      | typeof evidence,
  ) => of(table, table.approvalId, tenantId, calls);
  return {
    viewers: await remove(tx, viewers, about(viewers)),
    snoozes: await remove(tx, snoozes, about(snoozes)),
    votes: await remove(tx, votes, about(votes)),
    refusals: await remove(tx, refusals, about(refusals)),
    deliveries: await remove(tx, deliveries, about(deliveries)),
    counted_calls: await remove(tx, countedCalls, about(countedCalls)),
    evidence: await remove(tx, evidence, and(about(evidence), lte(evidence.expiresAt, now))),
    approvals: await remove(tx, approvals, its),
    requests: await remove(tx, requests, of(requests, requests.id, tenantId, ids)),
  };
}

async function removeThreads(tx: Transaction, tenantId: string, ids: string[]): Promise<RemovedRows> {
  return {
    thread_entries: await remove(tx, threadEntries, of(threadEntries, threadEntries.threadId, tenantId, ids)),
    threads: await remove(tx, threads, of(threads, threads.id, tenantId, ids)),
  };
}

function of(
  table: { tenantId: AnyPgColumn },
  column: AnyPgColumn,
  tenantId: string,
  ids: string[],
): SQL | undefined {
  return and(eq(table.tenantId, tenantId), inArray(column, ids));
}

async function remove({ db }: Transaction, table: PgTable, condition: SQL | undefined): Promise<number> {
  const gone = await db.delete(table).where(condition).returning({ one: sql`1` });
  return gone.length;
}
