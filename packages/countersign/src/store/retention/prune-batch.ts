import { and, eq, inArray, isNull, lte, not, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import type {
  PruneBatch,
  PruneCursor,
  PrunedBatch,
  PrunedKind,
  RemovedRows,
} from "../ports/retention-port.js";
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
} from "../schema.js";
import { systemLog } from "../stop/stops.js";
import {
  isGrantOver,
  isProofOver,
  isRequestCounted,
  isRequestOf,
  isRequestOver,
  isStopOver,
  isThreadOver,
} from "./prunable.js";

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
  audit(tx, {
    tenantId: batch.tenantId,
    approvalId: null,
    type: "retention.pruned",
    actorId: batch.by,
    data: { kind: batch.kind, before: batch.before.toISOString(), removed },
  });
  return { removed, next: found.length < limit ? undefined : found.at(-1) };
}

/** The source of each kind: its table, its age, and the condition for a finished row. */
function sourceOf({ kind, before, personId }: PruneBatch, { now }: Session) {
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

async function candidates(session: Session, batch: PruneBatch, limit: number): Promise<PruneCursor[]> {
  const { table, age, isOver } = sourceOf(batch, session);
  const { tenantId, after } = batch;
  const inTenant = tenantId === systemLog ? isNull(table.tenantId) : eq(table.tenantId, tenantId);
  const continues =
    after && sql`(${age}, ${table.id}) > (${after.at.toISOString()}::timestamptz, ${after.id})`;
  const rows = await session.db
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

type Remove = (session: Session, tenantId: string, ids: string[]) => Promise<RemovedRows>;

const removers: Record<PrunedKind, Remove> = {
  requests: removeRequests,
  threads: removeThreads,
  grants: async (session, tenantId, ids) => ({
    grants: await remove(session, grants, of(grants, grants.id, tenantId, ids)),
  }),
  proofs: async (session, tenantId, ids) => ({
    evidence: await remove(session, evidence, of(evidence, evidence.id, tenantId, ids)),
  }),
  stops: async (session, _tenantId, ids) => ({ stops: await remove(session, stops, inArray(stops.id, ids)) }),
};

/**
 * Deletes requests with everything that belongs to them. Evidence stays until it expires, as long as it could be used.
 */
async function removeRequests(session: Session, tenantId: string, ids: string[]): Promise<RemovedRows> {
  const { db, now } = session;
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
    viewers: await remove(session, viewers, about(viewers)),
    snoozes: await remove(session, snoozes, about(snoozes)),
    votes: await remove(session, votes, about(votes)),
    refusals: await remove(session, refusals, about(refusals)),
    deliveries: await remove(session, deliveries, about(deliveries)),
    counted_calls: await remove(session, countedCalls, about(countedCalls)),
    evidence: await remove(session, evidence, and(about(evidence), lte(evidence.expiresAt, now))),
    approvals: await remove(session, approvals, its),
    requests: await remove(session, requests, of(requests, requests.id, tenantId, ids)),
  };
}

async function removeThreads(session: Session, tenantId: string, ids: string[]): Promise<RemovedRows> {
  return {
    thread_entries: await remove(
      session,
      threadEntries,
      of(threadEntries, threadEntries.threadId, tenantId, ids),
    ),
    threads: await remove(session, threads, of(threads, threads.id, tenantId, ids)),
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

async function remove({ db }: Session, table: PgTable, condition: SQL | undefined): Promise<number> {
  const gone = await db.delete(table).where(condition).returning({ one: sql`1` });
  return gone.length;
}
