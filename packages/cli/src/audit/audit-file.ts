import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { AuditHead } from "countersign/types";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { verifyArchive } from "../operating/verify-archive.js";

/** `audit verify --file`: verifies an archive. Needs no database. */
export async function verifyFile(
  {
    file,
    tenant,
    anchor,
    json,
  }: {
    file: string;
    tenant?: string | undefined;
    anchor?: AuditHead | undefined;
    json?: boolean | undefined;
  },
  io: CliIo,
): Promise<ExitCode> {
  const stream = createReadStream(file, "utf8");
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  const results = await verifyArchive(lines, anchor && { ...anchor, tenantId: tenant }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new UsageError(`--file: ${file} cannot be read (${error.code ?? error.message})`);
    },
  );
  if (results.length === 0) throw new UsageError(`--file: ${file} has no entries`);
  const parts = results.flatMap((result) => (result.ok ? [result] : []));
  const found = parts.some(
    ({ tenantId, firstPosition, head }) =>
      anchor !== undefined &&
      (tenant ?? tenantId) === tenantId &&
      firstPosition <= anchor.position &&
      anchor.position <= head.position,
  );
  const broken = results.some(({ ok }) => !ok);
  if (anchor && !broken && !found) {
    throw new UsageError(
      `--anchor: ${file} does not contain entry ${anchor.position}, so the anchor was not checked`,
    );
  }
  for (const result of results) {
    if (json) io.out(`${JSON.stringify(result)}\n`);
    else if (result.ok) {
      const { tenantId, entries, firstPosition, continues, head } = result;
      const from = firstPosition === 1 ? "" : `; continues ${firstPosition - 1}:${continues}`;
      io.out(
        `${JSON.stringify(tenantId)}: ${entries} entries, all in order; head ${head.position}:${head.hash}${from}\n`,
      );
    } else io.out(`${JSON.stringify(result.tenantId)}: BROKEN. ${result.message}\n`);
  }
  return broken ? exitCodes.failed : exitCodes.ok;
}
