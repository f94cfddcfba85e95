import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../cli-io.js";
import type { AuditArchive } from "../operating/prune.js";

/** Writes each part to its own file. Files are written and synced under a temporary name, then renamed. */
export function archiveIn(folder: string): (part: AuditArchive) => Promise<void> {
  return async ({ tenantId, firstPosition, lastPosition, lines }) => {
    const name = tenantId === "" ? "all-tenants" : `tenant-${encodeURIComponent(tenantId)}`;
    const path = join(folder, `${name}.${firstPosition}-${lastPosition}.jsonl`);
    try {
      await mkdir(folder, { recursive: true });
      const file = await open(`${path}.part`, "w", 0o600);
      try {
        for await (const line of lines) await file.write(line);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.part`, path);
    } catch (error) {
      // Only file errors are about the archive; pass on store errors unchanged.
      if (!isFileError(error)) throw error;
      throw new UsageError(`--archive: ${path} cannot be written (${error.code}); no entries were sealed`);
    }
  };
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && typeof error.syscall === "string";
}
