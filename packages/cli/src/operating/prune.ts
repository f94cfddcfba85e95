import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Countersign, Store } from "countersign";
import { storeVerbs } from "countersign/internal";
import { maintenance } from "countersign/internal/maintenance";
import type { AuditSegment, EvidenceSigner } from "countersign/types";
import { agesInMs, type RetainedKind, type RetentionAges } from "./ages.js";
import {
  allTenants,
  type HeldEntry,
  type PruneCursor,
  prunedKinds,
  type RemovedRows,
  type SealablePart,
} from "./retention-port.js";
import { retentionVerbs } from "./retention-verbs.js";

/** Entries that are about to be deleted from a tenant's audit log. */
export interface AuditArchive {
  tenantId: string;
  firstPosition: number;
  lastPosition: number;
  /** Hash of the last entry; with `lastPosition`, the anchor of the archive. */
  headHash: string;
  /** The entries as `audit export` writes them: JSON lines, each with its line break. */
  lines: AsyncIterable<string>;
}

export interface PruneOptions {
  /** Minimum age: one for everything but the audit log, or ages by kind. */
  olderThan: string | RetentionAges;
  /** One tenant. @default all tenants */
  tenantId?: string;
  /** Rows per transaction, from 1 to 5000. @default 500 */
  batchSize?: number;
  /** Deletes nothing, and reports what would be deleted. @default false */
  dryRun?: boolean;
  /** The actor, for the audit log. @default none: the log shows no actor */
  by?: string;
  /** Archives entries of the audit log elsewhere. They are deleted after it resolves, and kept if it rejects. */
  archive?: (part: AuditArchive) => Promise<void>;
  /** Called after each batch with the deleted rows. */
  onBatch?: (batch: { tenantId: string; kind: RetainedKind; removed: RemovedRows }) => void;
}

/** A part of an audit log that was sealed and deleted. */
export interface SealedPart extends SealablePart {
  tenantId: string;
  /** Hash of its segment; `null` in a dry run. */
  hash: AuditSegment["hash"] | null;
}

/** What was deleted, or would be. */
export interface PruneReport {
  /** Deleted rows by table. */
  removed: RemovedRows;
  sealed: SealedPart[];
  /** Old entries of audit logs that were kept, with all after them, because their subject still exists or can still prove something. */
  held: ({ tenantId: string } & HeldEntry)[];
}

const defaultBatchSize = 500;
const maxBatchSize = 5000;

/** A database without an instance, as the command line has it. */
export interface Operated {
  store: Store;
  signer: EvidenceSigner | undefined;
}

/**
 * Deletes old, finished data in small transactions: oldest first, skipping locked rows. It never deletes a pending or
 * running call, an interrupted call that nobody has resolved, or evidence that could still be used. The database role
 * needs the right to delete.
 *
 * @param countersign The instance, which signs the segments that it seals; or a store, and who signs them.
 * @throws CountersignError `invalid_option`, naming the field.
 *
 * @example
 * ```ts
 * import type { Countersign } from "countersign";
 * import { prune } from "@countersign/cli/operating";
 *
 * export async function nightly(countersign: Countersign) {
 *   const { removed } = await prune(countersign, { olderThan: { requests: "180d", threads: "90d" } });
 *   return removed["approvals"] ?? 0;
 * }
 * ```
 */
export async function prune(
  countersign: Countersign | Operated,
  options: PruneOptions,
): Promise<PruneReport> {
  const { store } = countersign;
  const signer = "signer" in countersign ? countersign.signer : maintenance.signerOf(countersign);
  const { now: databaseTime, exportAudit } = storeVerbs(store);
  const retention = retentionVerbs(store);
  const ages = agesInMs(options.olderThan);
  const limit = batchSizeOf(options);
  const { dryRun = false, by = null, onBatch } = options;
  const now = (await databaseTime()).getTime();
  const report: PruneReport = { removed: {}, sealed: [], held: [] };
  const note = (tenantId: string, kind: RetainedKind, removed: RemovedRows) => {
    if (Object.keys(removed).length === 0) return;
    addTo(report.removed, removed);
    onBatch?.({ tenantId, kind, removed });
  };
  const tenants = options.tenantId === undefined ? await retention.retainedTenants() : [options.tenantId];
  for (const tenantId of tenants) {
    for (const kind of prunedKinds) {
      const age = ages[kind];
      if (age === undefined || (tenantId === allTenants && kind !== "stops")) continue;
      const batch = { tenantId, kind, before: new Date(now - age), limit, dryRun, by };
      let after: PruneCursor | undefined;
      do {
        const { removed, next } = await retention.pruneBatch({ ...batch, after });
        note(tenantId, kind, removed);
        after = next;
      } while (after);
    }
    if (ages.audit === undefined) continue;
    const before = new Date(now - ages.audit);
    for (;;) {
      const { part, held } = await retention.sealablePart(tenantId, before);
      if (held) report.held.push({ tenantId, ...held });
      if (!part) break;
      if (dryRun) {
        report.sealed.push({ tenantId, ...part, hash: null });
        note(tenantId, "audit", { audit_entries: part.lastPosition - part.firstPosition + 1 });
        break;
      }
      await options.archive?.({
        tenantId,
        ...part,
        lines: exportAudit(tenantId, { format: "jsonl", ...part }),
      });
      const sealed = await retention.sealPart({ tenantId, part, by }, signer);
      if (sealed) report.sealed.push({ tenantId, ...part, hash: sealed.hash });
      // Another process has sealed entries meanwhile, or the rest of the log must stay.
      if (!sealed || held) break;
    }
    if (dryRun) continue;
    // Includes segments that an earlier prune sealed and did not delete completely.
    for (let more = true; more; ) {
      const removed = await retention.deleteSealed({ tenantId, limit });
      more = removed > 0;
      if (more) note(tenantId, "audit", { audit_entries: removed });
    }
  }
  return report;
}

function batchSizeOf({ batchSize = defaultBatchSize }: PruneOptions): number {
  if (Number.isInteger(batchSize) && batchSize >= 1 && batchSize <= maxBatchSize) return batchSize;
  throw new CountersignError("invalid_option", `batchSize: must be an integer from 1 to ${maxBatchSize}`);
}

export function addTo(sum: RemovedRows, rows: RemovedRows): void {
  for (const [table, count] of Object.entries(rows)) sum[table] = (sum[table] ?? 0) + count;
}
