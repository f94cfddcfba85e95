import { and, desc, eq, gte, isNotNull, lt, lte, ne, or, sql } from "drizzle-orm";
import { startedStatuses } from "../../approval/earlier-call.js";
import { resultKey } from "../../approval/entry-key.js";
import type { Session } from "../database.js";
import type { Conversation, ConversationFilter, ThreadEntry } from "../ports/thread-port.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, threadEntries } from "../schema.js";

/** Maximum number of unrecorded calls in one part of a thread. */
const maxUnrecorded = 1000;

export async function readConversation(session: Session, filter: ConversationFilter): Promise<Conversation> {
  const { entries, hasOlder } = await newestEntries(session, filter);
  return { entries, hasOlder, ...(await callsBeside(session, filter, entries, hasOlder)) };
}

export async function readMessageBefore(
  { db }: Session,
  tenantId: string,
  threadId: string,
  seq: number,
): Promise<ThreadEntry | undefined> {
  const [entry] = await db
    .select()
    .from(threadEntries)
    .where(and(inThread({ tenantId, threadId }), eq(threadEntries.kind, "user"), lt(threadEntries.seq, seq)))
    .orderBy(desc(threadEntries.seq))
    .limit(1);
  return entry;
}

function inThread({ tenantId, threadId }: Pick<ConversationFilter, "tenantId" | "threadId">) {
  return and(eq(threadEntries.tenantId, tenantId), eq(threadEntries.threadId, threadId));
}

async function newestEntries(
  session: Session,
  filter: ConversationFilter,
): Promise<Pick<Conversation, "entries" | "hasOlder">> {
  const { db } = session;
  const { before, beforeCall, limit, maxBytes, maxEntryBytes } = filter;
  // If the call's own entry exists, the index leads to what precedes it, past everything later.
  const end = before?.seq ?? (beforeCall && (await seqOf(session, filter, resultKey(beforeCall.requestId))));
  const size = sql<number>`least(octet_length(${threadEntries.bodyJson}), ${maxEntryBytes ?? null}::bigint)`;
  const newest = db
    .select({
      seq: threadEntries.seq,
      runId: threadEntries.runId,
      kind: threadEntries.kind,
      key: threadEntries.key,
      bodyJson: threadEntries.bodyJson,
      createdAt: threadEntries.createdAt,
      size: size.as("size"),
    })
    .from(threadEntries)
    .where(
      and(
        inThread(filter),
        end === undefined ? undefined : lt(threadEntries.seq, end),
        beforeCall && lte(threadEntries.createdAt, beforeCall.createdAt),
      ),
    )
    .orderBy(desc(threadEntries.seq))
    .limit(limit + 1)
    .as("newest");
  const summed = db
    .select({
      seq: newest.seq,
      runId: newest.runId,
      kind: newest.kind,
      key: newest.key,
      bodyJson: newest.bodyJson,
      createdAt: newest.createdAt,
      total: sql<number>`sum(${newest.size}) over (order by ${newest.seq} desc)`.as("total"),
      found: sql<number>`count(*) over ()`.mapWith(Number).as("found"),
    })
    .from(newest)
    .as("summed");
  const rows = await db
    .select()
    .from(summed)
    .where(maxBytes === undefined ? undefined : sql`${summed.total} <= ${maxBytes}`)
    .orderBy(desc(summed.seq));
  const kept = rows.slice(0, limit);
  return {
    entries: kept.map(({ total: _, found: __, ...entry }) => entry).reverse(),
    hasOlder: (rows[0]?.found ?? 0) > kept.length,
  };
}

async function seqOf(
  { db }: Session,
  thread: Pick<ConversationFilter, "tenantId" | "threadId">,
  key: string,
): Promise<number | undefined> {
  const [entry] = await db
    .select({ seq: threadEntries.seq })
    .from(threadEntries)
    .where(and(inThread(thread), eq(threadEntries.key, key)));
  return entry?.seq;
}

/** The calls of this part of the thread that started and are in no entry, and those that were undone since. */
async function callsBeside(
  { db }: Session,
  filter: ConversationFilter,
  entries: readonly ThreadEntry[],
  hasOlder: boolean,
): Promise<Pick<Conversation, "unrecorded" | "undone">> {
  const { tenantId, threadId, before, beforeCall, forRun } = filter;
  const [first] = entries;
  const reader = beforeCall ? beforeCall.runId : forRun;
  // A reader at one place sees what precedes it; others see the whole thread.
  const seenUpTo = reader === undefined ? undefined : (entries.at(-1)?.seq ?? 0);
  const entryOf = db
    .select({ seq: threadEntries.seq })
    .from(threadEntries)
    .where(
      and(
        inThread(filter),
        sql`${threadEntries.key} = 'result:' || ${approvals.requestId}`,
        seenUpTo === undefined ? undefined : lte(threadEntries.seq, seenUpTo),
      ),
    )
    .limit(1);
  const isUnrecorded = sql<boolean>`(${entryOf}) is null`;
  const rows = await db
    .select({ row: approvals, isUnrecorded })
    .from(approvals)
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(approvals.threadId, threadId),
        hasStatus(...startedStatuses),
        // Only calls of agents are part of a model's response.
        isNotNull(approvals.agentName),
        isNotNull(approvals.runId),
        hasOlder && first ? gte(approvals.createdAt, first.createdAt) : undefined,
        before && lt(approvals.createdAt, before.at),
        beforeCall &&
          and(lte(approvals.createdAt, beforeCall.createdAt), ne(approvals.requestId, beforeCall.requestId)),
        // The reader's own run will report its current calls itself.
        reader === undefined || reader === null
          ? undefined
          : or(ne(approvals.status, "executing"), ne(approvals.runId, reader)),
        // Looks up each call instead of joining: there are few such calls, and the thread may have many entries.
        or(isNotNull(approvals.undoneAt), isUnrecorded),
      ),
    )
    .orderBy(desc(approvals.createdAt), desc(approvals.position))
    .limit(maxUnrecorded);
  const calls = rows.map(({ row, ...own }) => ({ ...own, approval: approvalFromRow(row) })).reverse();
  return {
    unrecorded: calls.flatMap((call) => (call.isUnrecorded ? call.approval : [])),
    undone: calls.flatMap(({ approval }) => (approval.undoneAt ? approval : [])),
  };
}
