import { and, asc, eq, gte, isNull, sql } from "drizzle-orm";
import { type Session, together } from "../database.js";
import type { BegunTurn, NewTurn } from "../ports/thread-port.js";
import { threadEntries } from "../schema.js";
import type { Store } from "../store.js";
import { markRunning, notify } from "./thread.js";

/** Writes the user's message unless it exists, and returns its place with the keys of what the run wrote since. */
export async function beginTurn(session: Session, turn: NewTurn): Promise<BegunTurn> {
  const { db, now } = session;
  const { tenantId, threadId, runId, key, bodyJson } = turn;
  const begun = await findTurn(session, turn);
  if (begun) return begun;
  const [entry] = await db
    .insert(threadEntries)
    .values({ tenantId, threadId, runId, kind: "user", key, bodyJson, createdAt: now })
    .onConflictDoNothing()
    .returning({ seq: threadEntries.seq, at: threadEntries.createdAt });
  if (entry) {
    await markRunning(session, tenantId, threadId, runId);
    await notify(session, tenantId, threadId);
    return { ...entry, written: [key], isNew: true };
  }
  const written = await findTurn(session, turn);
  if (!written) throw new Error(`The turn ${key} is gone`);
  return written;
}

async function findTurn(
  { db }: Session,
  { tenantId, threadId, runId, key }: NewTurn,
): Promise<BegunTurn | undefined> {
  const inThread = and(eq(threadEntries.tenantId, tenantId), eq(threadEntries.threadId, threadId));
  const first = db
    .select({ seq: threadEntries.seq })
    .from(threadEntries)
    .where(and(inThread, eq(threadEntries.key, key)));
  const rows = await db
    .select({ key: threadEntries.key, seq: threadEntries.seq, at: threadEntries.createdAt })
    .from(threadEntries)
    .where(
      and(
        inThread,
        gte(threadEntries.seq, sql`(${first})`),
        runId === null ? isNull(threadEntries.runId) : eq(threadEntries.runId, runId),
      ),
    )
    .orderBy(asc(threadEntries.seq));
  const [entry] = rows;
  return entry && { seq: entry.seq, at: entry.at, written: rows.map((row) => row.key), isNew: false };
}

/** Writes messages that a run has made. Those that exist already, by their keys, stay as they are. */
export async function appendEntries(
  session: Session,
  tenantId: string,
  threadId: string,
  entries: Parameters<Store["appendEntries"]>[2],
): Promise<void> {
  const { db, now } = session;
  const [first] = entries;
  if (!first) return;
  const added = await db
    .insert(threadEntries)
    .values(entries.map((entry) => ({ ...entry, tenantId, threadId, createdAt: now })))
    .onConflictDoNothing()
    .returning({ seq: threadEntries.seq });
  if (added.length === 0) return;
  await together([
    markRunning(session, tenantId, threadId, first.runId),
    notify(session, tenantId, threadId),
  ]);
}
