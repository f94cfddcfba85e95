import { CountersignError } from "../errors.js";
import type { Store } from "../store/store.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "./cli-io.js";

export interface AuditOptions {
  databaseUrl: string;
  tenant?: string | undefined;
}

export interface VerifyOptions extends AuditOptions {
  anchor?: string | undefined;
  json?: boolean | undefined;
}

/** `audit verify`: is the log what was written? */
export async function verifyAudits(options: VerifyOptions, io: CliIo): Promise<ExitCode> {
  const anchor = options.anchor === undefined ? undefined : anchorOf(options.anchor);
  if (anchor && options.tenant === undefined) throw new UsageError("--anchor is about one log; add --tenant");
  return withStore(options.databaseUrl, async (store) => {
    let code: ExitCode = exitCodes.fine;
    for (const tenantId of await tenantsOf(store, options)) {
      const result = await store.verifyAudit(tenantId, anchor);
      if (!result.ok) code = exitCodes.found;
      if (options.json) io.out(`${JSON.stringify({ tenantId, ...result })}\n`);
      else if (result.ok) {
        const { position, hash } = result.head;
        io.out(
          `${JSON.stringify(tenantId)}: ${result.entries} entries, all in order; head ${position}:${hash}\n`,
        );
      } else {
        const about = result.approvalId === undefined ? "" : ` (approval ${result.approvalId})`;
        io.out(`${JSON.stringify(tenantId)}: BROKEN, ${result.problem}. ${result.message}${about}\n`);
      }
    }
    return code;
  });
}

/** `audit export`: the log as JSON lines or CSV. */
export async function exportAudits(options: AuditOptions & { format: string }, io: CliIo): Promise<ExitCode> {
  const { format } = options;
  if (format !== "jsonl" && format !== "csv") throw new UsageError("--format: write jsonl or csv");
  return withStore(options.databaseUrl, async (store) => {
    let headerWritten = false;
    for (const tenantId of await tenantsOf(store, options)) {
      let skipHeader = format === "csv" && headerWritten;
      for await (const line of store.exportAudit(tenantId, { format })) {
        if (!skipHeader) io.out(line);
        skipHeader = false;
      }
      headerWritten = true;
    }
    return exitCodes.fine;
  });
}

async function tenantsOf(store: Store, { tenant }: AuditOptions): Promise<string[]> {
  return tenant === undefined ? store.auditedTenants() : [tenant];
}

/** `POSITION:HASH`, as `audit verify` writes heads. */
function anchorOf(text: string) {
  const [, position, hash] = /^([1-9]\d{0,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!position || !hash)
    throw new UsageError("--anchor: write a head as this command shows it, POSITION:HASH");
  return { position: Number(position), hash };
}

/** Its messages hold neither the URL nor anybody's data. */
async function withStore(url: string, work: (store: Store) => Promise<ExitCode>): Promise<ExitCode> {
  const { postgresStore } = await import("../postgres.js").catch(() => {
    throw new UsageError('--database-url needs the package "postgres"; install it beside countersign');
  });
  let store: Store;
  try {
    store = postgresStore({ url, max: 1 });
  } catch {
    throw new UsageError(
      "--database-url: is no address of a Postgres database, such as postgres://user@host/name",
    );
  }
  try {
    return await work(store);
  } catch (error) {
    if (!CountersignError.isInstance(error)) throw error;
    const code = error.detail.sqlState ?? "unknown";
    throw new UsageError(
      `--database-url: the log cannot be read (${code}); check the URL and that it was migrated`,
    );
  } finally {
    await store.close();
  }
}
