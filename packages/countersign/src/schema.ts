/**
 * The Drizzle tables of Countersign, for your own queries. Only read them: a row that is changed outside of Countersign
 * no longer matches the audit log.
 *
 * @example
 * ```ts
 * import { approvals } from "countersign/schema";
 * import { count } from "drizzle-orm";
 * import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
 *
 * // In a transaction that has named its tenant: select set_config('countersign.tenant', 'acme', true)
 * export const byStatus = (tx: PgDatabase<PgQueryResultHKT>) =>
 *   tx.select({ status: approvals.status, calls: count() }).from(approvals).groupBy(approvals.status);
 * ```
 */
export {
  allowedResponses,
  approvals,
  auditEntries,
  auditHeads,
  auditSegments,
  countedCalls,
  countedHours,
  countersignSchema,
  deliveries,
  endedRuns,
  engineWatch,
  evidence,
  failingRecipients,
  grants,
  installation,
  outbox,
  preferences,
  pushSubscriptions,
  refusals,
  requests,
  snoozes,
  stops,
  threadEntries,
  threads,
  viewers,
  votes,
} from "./store/schema.js";
