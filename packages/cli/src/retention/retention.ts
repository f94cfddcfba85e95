import { durationMs } from "@countersign/policy/internal/shared/duration";
import { actorName } from "../audit/actor.js";
import { archiveIn } from "../audit/archive-files.js";
import { signerOfEnv } from "../audit/signing-key-env.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import type { RetainedKind } from "../operating/ages.js";
import { forget } from "../operating/forget.js";
import { type PruneReport, prune } from "../operating/prune.js";
import type { RemovedRows } from "../operating/retention-port.js";
import { withStore } from "../with-store.js";

const kinds: Record<RetainedKind, true> = {
  requests: true,
  threads: true,
  grants: true,
  proofs: true,
  stops: true,
  audit: true,
};

export type PruneCommandOptions = {
  databaseUrl?: string;
  olderThan?: string;
  archive?: string;
  signingKeyEnv?: string;
  tenant?: string;
  batchSize: string;
  dryRun?: boolean;
  by?: string;
  json?: boolean;
} & Partial<Record<RetainedKind, string>>;

export interface ForgetCommandOptions {
  databaseUrl?: string;
  tenant: string;
  person: string;
  by?: string;
  json?: boolean;
}

/** `prune`: removes old, finished data. */
export async function pruneData(options: PruneCommandOptions, io: CliIo): Promise<ExitCode> {
  const { tenant, dryRun = false, json = false } = options;
  const olderThan = agesOf(options);
  if (tenant === "") throw new UsageError("--tenant: must not be empty; omit it for all tenants");
  if (options.archive !== undefined && options.audit === undefined) {
    throw new UsageError("--archive: applies to audit entries; add --audit");
  }
  const signer = signerOfEnv(options.signingKeyEnv);
  const by = actorName(options);
  return withStore(options.databaseUrl, "not everything was removed", async (store) => {
    const report = await prune(
      { store, signer },
      {
        olderThan,
        batchSize: Number(options.batchSize),
        dryRun,
        by,
        ...(tenant === undefined ? {} : { tenantId: tenant }),
        ...(options.archive === undefined ? {} : { archive: archiveIn(options.archive) }),
        onBatch: ({ tenantId, kind, removed }) => {
          if (!json) io.err(`${JSON.stringify(tenantId)}: ${kind}: ${rowsOf(removed)}\n`);
        },
      },
    );
    if (json) io.out(`${JSON.stringify({ dryRun, ...report })}\n`);
    else writeReport(report, dryRun, io);
    return exitCodes.ok;
  });
}

/** `forget`: removes a person's data. */
export async function forgetData(options: ForgetCommandOptions, io: CliIo): Promise<ExitCode> {
  const { tenant: tenantId, person: personId } = options;
  const by = actorName(options);
  return withStore(options.databaseUrl, "not everything was removed", async (store) => {
    if ((await store.auditPosition(tenantId)) === 0) {
      io.err(`warning: the tenant ${JSON.stringify(tenantId)} has no audit log; check the name\n`);
    }
    const report = await forget({ store }, { tenantId, personId, by });
    if (options.json) io.out(`${JSON.stringify(report)}\n`);
    else {
      io.out(`Removed: ${rowsOf(report.removed)}\n`);
      io.out(`Kept: ${rowsOf({ ...report.kept })}\n`);
    }
    return exitCodes.ok;
  });
}

function agesOf(options: PruneCommandOptions): Partial<Record<RetainedKind, string>> {
  const { olderThan } = options;
  const ages: Partial<Record<RetainedKind, string>> = {};
  for (const kind of Object.keys(kinds) as RetainedKind[]) {
    const age = options[kind] ?? (olderThan === undefined ? undefined : commonAge(kind, olderThan));
    if (age !== undefined) ages[kind] = age;
  }
  if (Object.keys(ages).length > 0) return ages;
  throw new UsageError('set a minimum age, such as "--older-than 180d" or "--audit 7y"');
}

/** `--older-than` does not apply to the audit log, and stops are kept for at least 30 days. */
function commonAge(kind: RetainedKind, olderThan: string): string | undefined {
  if (kind === "audit") return undefined;
  const isShort = (durationMs(olderThan) ?? 0) < (durationMs("30d") ?? 0);
  return kind === "stops" && isShort ? "30d" : olderThan;
}

function writeReport({ removed, sealed, held }: PruneReport, dryRun: boolean, io: CliIo): void {
  io.out(`${dryRun ? "Would remove" : "Removed"}: ${rowsOf(removed)}\n`);
  for (const { tenantId, firstPosition, lastPosition, headHash } of sealed) {
    const part = `entries ${firstPosition} to ${lastPosition} of ${JSON.stringify(tenantId)}`;
    io.out(`${dryRun ? "Would seal" : "Sealed"}: ${part}; head ${lastPosition}:${headHash}\n`);
  }
  for (const { tenantId, position, type, approvalId } of held) {
    const about = approvalId === null ? "" : ` about ${approvalId}`;
    io.out(
      `Kept: the log of ${JSON.stringify(tenantId)} from entry ${position} on (${type}${about}), because its data still exists or its proof has not expired\n`,
    );
  }
}

function rowsOf(rows: Readonly<RemovedRows>): string {
  const parts = Object.entries(rows).flatMap(([table, count]) => (count > 0 ? [`${count} ${table}`] : []));
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
