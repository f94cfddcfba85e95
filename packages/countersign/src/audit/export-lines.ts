import type { AuditEntry } from "./audit-entry.js";

export type AuditExportFormat = "jsonl" | "csv";

/** An entry as exports and the API show it: everything that its hash covers, and the hash. */
export function auditEntryView(entry: AuditEntry) {
  const { tenantId, position, approvalId, type, actorId, at, data, prevHash, hash } = entry;
  return { position, tenantId, approvalId, type, actorId, at: at.toJSON(), data, prevHash, hash };
}

export type AuditEntryView = ReturnType<typeof auditEntryView>;

const columns = [
  "position",
  "tenantId",
  "approvalId",
  "type",
  "actorId",
  "at",
  "data",
  "prevHash",
  "hash",
] as const satisfies (keyof AuditEntryView)[];

/** Lines of an export: JSON lines, or CSV (RFC 4180) with a header. */
export async function* exportLines(
  entries: AsyncIterable<AuditEntry>,
  format: AuditExportFormat,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(columns);
  for await (const entry of entries) {
    const view = auditEntryView(entry);
    yield format === "csv"
      ? csvLine(columns.map((name) => csvText(view[name])))
      : `${JSON.stringify(view)}\n`;
  }
}

function csvText(value: AuditEntryView[(typeof columns)[number]]): string | null {
  if (value === null || typeof value === "string") return value;
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}

/** Prefixes that spreadsheets take for a formula, including full-width ones, and the `'` that prevents it. */
const marked = /^[=+\-@＝＋－＠\t\r\n']/;

/**
 * `null` is an empty cell, the empty string a quoted one. Text that a spreadsheet would run gets a leading `'`, and so
 * does text that begins with one: a reader removes one leading `'` to get the original.
 */
function csvLine(cells: readonly (string | null)[]): string {
  const written = cells.map((cell) => {
    if (cell === null) return "";
    const safe = marked.test(cell) ? `'${cell}` : cell;
    return safe === "" || /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${written.join(",")}\r\n`;
}
