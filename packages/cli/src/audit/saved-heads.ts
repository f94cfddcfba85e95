import { readText } from "@countersign/policy/internal/policy/files/read-policy-file";
import type { AuditHead } from "countersign/types";
import * as z from "zod";
import { UsageError } from "../cli-io.js";

const line = z.object({
  tenantId: z.string(),
  // A log that was broken has none.
  head: z.object({ position: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
});

/**
 * The head of each tenant in the saved output of `audit verify --json`.
 * @throws UsageError
 */
export function savedHeads(path: string): Map<string, AuditHead> {
  const read = readText(path);
  if (!read.ok) throw new UsageError(`--heads ${path}: ${read.problem.message}`);
  const heads = new Map<string, AuditHead>();
  for (const [index, text] of read.text.split("\n").entries()) {
    if (text.trim() === "") continue;
    const { tenantId, head } = parsed(text) ?? {};
    if (tenantId === undefined) {
      throw new UsageError(
        `--heads ${path}:${index + 1}: must be a line that \`audit verify --json\` printed`,
      );
    }
    if (head && head.position > 0) heads.set(tenantId, head);
  }
  return heads;
}

function parsed(text: string): z.output<typeof line> | undefined {
  try {
    return line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
