import { maintenance } from "countersign/internal/maintenance";
import type { AuditHead } from "countersign/types";
import * as z from "zod";

/** One tenant's entries in an archive file, or its first fault. */
export type ArchiveVerification =
  | { ok: true; tenantId: string; firstPosition: number; entries: number; continues: string; head: AuditHead }
  | { ok: false; tenantId: string | null; line: number; message: string };

const entrySchema = z.strictObject({
  position: z.int().positive(),
  tenantId: z.string(),
  approvalId: z.string().nullable(),
  type: z.string(),
  actorId: z.string().nullable(),
  at: z.iso.datetime({ precision: 3 }),
  data: z.record(z.string(), z.unknown()),
  prevHash: z.string(),
  hash: z.string(),
});

/**
 * Verifies entries outside of the database: JSON lines from `audit export` and `prune --archive`, one tenant after
 * another. A part that does not begin with entry 1 names the hash that it continues.
 *
 * @param anchor A saved head, or the one that `audit verify` shows for a sealed segment. The entry at its position must
 * have its hash.
 */
export async function verifyArchive(
  lines: AsyncIterable<string>,
  anchor?: AuditHead & { tenantId?: string | undefined },
): Promise<ArchiveVerification[]> {
  const results: Extract<ArchiveVerification, { ok: true }>[] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === "") continue;
    const entry = entryIn(text);
    const current = results.at(-1);
    if (!entry) return [...results, fault(null, line, "is not an audit entry")];
    const { tenantId, position, prevHash, hash } = entry;
    const wrong = (what: string) => [...results, fault(tenantId, line, `entry ${position} ${what}`)];
    const before = current?.tenantId === tenantId ? current.head : undefined;
    if (!before && results.some((other) => other.tenantId === tenantId)) {
      return wrong("is separated from the tenant's other entries");
    }
    if (before && position !== before.position + 1) return wrong(`does not follow entry ${before.position}`);
    const continues = before?.hash ?? (position === 1 ? maintenance.emptyAuditHead.hash : prevHash);
    if (prevHash !== continues) return wrong("does not continue the previous entry");
    if (maintenance.auditHash({ ...entry, at: new Date(entry.at) }) !== hash)
      return wrong("does not match its hash");
    if (anchor?.position === position && (anchor.tenantId ?? tenantId) === tenantId && anchor.hash !== hash) {
      return wrong("differs from the anchor");
    }
    if (current && before) {
      current.entries += 1;
      current.head = { position, hash };
    } else {
      results.push({
        ok: true,
        tenantId,
        firstPosition: position,
        entries: 1,
        continues: prevHash,
        head: { position, hash },
      });
    }
  }
  return results;
}

function entryIn(text: string): z.output<typeof entrySchema> | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function fault(tenantId: string | null, line: number, what: string): ArchiveVerification {
  return { ok: false, tenantId, line, message: `Line ${line}: ${what}` };
}
