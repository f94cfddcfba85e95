import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { StoreVerbs } from "countersign/internal";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { withStore } from "../with-store.js";
import { verifyFile } from "./audit-file.js";
import { savedHeads } from "./saved-heads.js";
import { readerOfEnv } from "./signing-key-env.js";

export interface AuditOptions {
  databaseUrl?: string | undefined;
  tenant?: string | undefined;
}

export interface VerifyOptions extends AuditOptions {
  file?: string | undefined;
  anchor?: string | undefined;
  heads?: string | undefined;
  signingKeyEnv?: string | undefined;
  json?: boolean | undefined;
}

/** `audit verify`: verifies the log and the rows it describes. */
export async function verifyAudits(options: VerifyOptions, io: CliIo): Promise<ExitCode> {
  const anchor = options.anchor === undefined ? undefined : anchorOf(options.anchor);
  const { databaseUrl, file } = options;
  if (databaseUrl !== undefined && file !== undefined) {
    throw new UsageError("set either --database-url or --file");
  }
  if (options.heads !== undefined && (anchor || file !== undefined)) {
    throw new UsageError("--heads: applies to a database, and not together with --anchor");
  }
  if (file !== undefined) return verifyFile({ ...options, file, anchor }, io);
  const reader = readerOfEnv(options.signingKeyEnv);
  const heads = options.heads === undefined ? undefined : savedHeads(options.heads);
  if (anchor && options.tenant === undefined)
    throw new UsageError("--anchor: applies to one tenant's log; add --tenant");
  return withStore(databaseUrl, "the log cannot be read", async (store) => {
    let code: ExitCode = exitCodes.ok;
    const saved = options.tenant === undefined ? (heads?.keys() ?? []) : [];
    // A tenant that was removed whole is only in the saved heads.
    const tenants = [...new Set([...(await tenantsOf(store, options)), ...saved])];
    if (tenants.length === 0) io.err("note: this database has no audit log yet\n");
    for (const tenantId of tenants) {
      const result = await store.verifyAudit(tenantId, anchor ?? heads?.get(tenantId), reader);
      // A misspelled tenant must not be reported as a valid log.
      if (result.ok && result.entries === 0 && options.tenant !== undefined) throw noSuchLog(tenantId);
      if (!result.ok && result.problem !== "unknown_key") code = exitCodes.failed;
      else if (!result.ok && code === exitCodes.ok) code = exitCodes.usage;
      if (options.json) io.out(`${JSON.stringify({ tenantId, ...result })}\n`);
      else if (result.ok) {
        const { position, hash } = result.head;
        const deleted = result.deleted === 0 ? "" : `; ${result.deleted} calls deleted since`;
        const last = result.sealed.at(-1);
        const sealed = last ? `; sealed up to ${last.lastPosition}:${last.headHash}` : "";
        io.out(
          `${JSON.stringify(tenantId)}: ${result.entries} entries, all in order; head ${position}:${hash}${sealed}${deleted}\n`,
        );
      } else {
        const about = result.approvalId === undefined ? "" : ` (approval ${result.approvalId})`;
        const verdict = result.problem === "unknown_key" ? "UNKNOWN KEY" : `BROKEN, ${result.problem}`;
        io.out(`${JSON.stringify(tenantId)}: ${verdict}. ${result.message}${about}\n`);
      }
    }
    return code;
  });
}

export interface ShowOptions extends AuditOptions {
  json?: boolean | undefined;
}

/** `audit show`: shows the audit trail of an approval. */
export async function showAudit(id: string, options: ShowOptions, io: CliIo): Promise<ExitCode> {
  return withStore(options.databaseUrl, "the log cannot be read", async (store) => {
    for (const tenantId of await tenantsOf(store, options)) {
      const entries = await store.auditTrail(tenantId, id);
      for (const entry of entries) {
        const { at, type, actorId, data } = entry;
        if (options.json) io.out(`${JSON.stringify(entry)}\n`);
        else {
          const by = actorId === null ? "" : ` by ${visibleText(actorId, 200)}`;
          io.out(`${at.toISOString()} ${type}${by} ${visibleText(JSON.stringify(data), 2_000)}\n`);
        }
      }
      if (entries.length > 0) return exitCodes.ok;
    }
    io.err(`The log has no approval ${JSON.stringify(id)}.\n`);
    return exitCodes.failed;
  });
}

/** `audit export`: writes the log as JSON lines or CSV. */
export async function exportAudits(options: AuditOptions & { format: string }, io: CliIo): Promise<ExitCode> {
  const { format } = options;
  if (format !== "jsonl" && format !== "csv") throw new UsageError("--format: must be jsonl or csv");
  return withStore(options.databaseUrl, "the log cannot be read", async (store) => {
    const { tenant } = options;
    if (tenant !== undefined && (await store.listAudit({ tenantId: tenant, limit: 1 })).length === 0) {
      throw noSuchLog(tenant);
    }
    let headerWritten = false;
    for (const tenantId of await tenantsOf(store, options)) {
      let skipHeader = format === "csv" && headerWritten;
      for await (const line of store.exportAudit(tenantId, { format })) {
        if (!skipHeader) io.out(line);
        skipHeader = false;
      }
      headerWritten = true;
    }
    return exitCodes.ok;
  });
}

async function tenantsOf(store: StoreVerbs, { tenant }: Pick<AuditOptions, "tenant">): Promise<string[]> {
  return tenant === undefined ? store.auditedTenants() : [tenant];
}

function noSuchLog(tenantId: string): UsageError {
  return new UsageError(
    `--tenant: ${JSON.stringify(tenantId)} has no audit log in this database; check the spelling, or omit the option to read all tenants`,
  );
}

/** Parses `POSITION:HASH`, the format in which `audit verify` prints heads. */
function anchorOf(text: string) {
  const [, position, hash] = /^([1-9]\d{0,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!position || !hash)
    throw new UsageError("--anchor: must be a head as this command prints it, POSITION:HASH");
  return { position: Number(position), hash };
}
