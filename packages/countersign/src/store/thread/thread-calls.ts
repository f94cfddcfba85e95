import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { type Session, together } from "../database.js";
import type { EntriesCallsFilter, HiddenInThread } from "../ports/thread-port.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { approvals } from "../schema.js";

export async function callsOfEntries(
  { db }: Session,
  { tenantId, threadId, requestIds, toolCallIds }: EntriesCallsFilter,
): Promise<Approval[]> {
  const places: SQL[] = [];
  if (requestIds.length > 0) places.push(inArray(approvals.requestId, [...requestIds]));
  const ids = and(eq(approvals.threadId, threadId), inArray(approvals.toolCallId, [...toolCallIds]));
  if (toolCallIds.length > 0 && ids) places.push(ids);
  if (places.length === 0) return [];
  const rows = await db
    .select()
    .from(approvals)
    .where(and(eq(approvals.tenantId, tenantId), or(...places)));
  return rows.map((row) => approvalFromRow(row));
}

/** Only calls with redactions, and only the fields needed to find them in text: a thread may have many calls. */
export async function hiddenInThread(
  { db }: Session,
  tenantId: string,
  threadId: string,
): Promise<HiddenInThread> {
  const ofThread = and(eq(approvals.tenantId, tenantId), eq(approvals.threadId, threadId));
  const redact = sql<string[]>`${approvals.terms} -> 'redact'`;
  const redactPatterns = sql<string[]>`${approvals.terms} -> 'redactPatterns'`;
  const [calls, patterns] = await together([
    db
      .select({ redact, inputJson: approvals.inputJson, editedInputJson: approvals.editedInputJson })
      .from(approvals)
      .where(and(ofThread, sql`${redact} <> '[]'::jsonb`)),
    db
      .selectDistinct({ redactPatterns })
      .from(approvals)
      .where(and(ofThread, sql`${redactPatterns} <> '[]'::jsonb`)),
  ]);
  return { calls, redactPatterns: [...new Set(patterns.flatMap((row) => row.redactPatterns))] };
}
