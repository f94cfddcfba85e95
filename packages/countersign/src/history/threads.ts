import { randomUUID } from "node:crypto";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import { mayDecide } from "../approval/who-decides.js";
import type { Runtime } from "../call/run/runtime.js";
import type { Thread } from "../store/ports/thread-port.js";
import { publicIdsIn } from "./public-ids.js";
import { readMessages, type ThreadMessage } from "./read-messages.js";
import { type LastTurn, readTurns, type Turn } from "./read-turns.js";
import { messageRedaction } from "./redact-messages.js";
import { cursorOf, placeOf } from "./thread-cursor.js";
import { titleOf } from "./title-of.js";

export interface ThreadView {
  id: string;
  /** `waiting` while a call of the thread needs approval, even if other calls run. */
  status: "running" | "waiting" | "done" | "failed";
  /** Oldest first. */
  messages: ThreadMessage[];
  /** `cursor` of the page with the older messages; `null` at the beginning of the thread. */
  nextCursor: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface ThreadReading {
  /** Redacts nothing. Only set it if you know that this reader may see everything. @default false */
  seesEverything?: boolean;
  /**
   * Maximum number of messages. An agent's response counts as one, with its calls and their results.
   * @default 50
   */
  limit?: number;
  /** `nextCursor` of the previous page. @default the newest messages */
  cursor?: string | undefined;
}

export interface Threads {
  /**
   * Opens a new thread for a principal, or one of their own.
   * @throws CountersignError `thread_not_found` for another owner's thread, as if it did not exist.
   */
  open(input: { threadId?: string; owner: Principal }): Promise<{ threadId: string }>;
  /**
   * The principal id of a thread's owner, for your own functions: it does not check who reads it. `undefined` if the
   * thread does not exist or has no owner.
   */
  ownerOf(tenantId: string, threadId: string): Promise<string | undefined>;
  /**
   * One page of the thread, the newest first, for its owner and for anybody who may decide one of its calls. Fields
   * that rules redact in the calls are redacted here as well.
   * @throws CountersignError `thread_not_found`, also if the reader may not see the thread; `invalid_request` for a
   * cursor of another thread.
   */
  read(threadId: string, reader: Principal, reading?: ThreadReading): Promise<ThreadView>;
  /** The same page as `read`, by entry: each with an id that stays the same, and when it was written. */
  readEntries(threadId: string, reader: Principal, reading?: ThreadReading): Promise<ThreadEntryView[]>;
  /**
   * The thread's latest turn, from the user's message on; `null` before the first message.
   * @throws CountersignError `thread_not_found`, also if the reader may not see the thread.
   */
  readLastTurn(
    threadId: string,
    reader: Principal,
    reading?: { seesEverything?: boolean },
  ): Promise<LastTurn | null>;
  /**
   * The thread's turns, oldest first: those of its latest 200 messages. The last one is that of `readLastTurn`.
   * @throws CountersignError `thread_not_found`, also if the reader may not see the thread.
   */
  readTurns(
    threadId: string,
    reader: Principal,
    reading?: { seesEverything?: boolean },
  ): Promise<{ earlier: Turn[]; last: LastTurn | null }>;
  /** The last messages before a call was proposed, at most `limit`; none if the reader may not see its thread. */
  readBefore(
    call: Approval,
    reader: Principal,
    reading: { seesEverything: boolean; limit: number },
  ): Promise<ThreadMessage[]>;
  /**
   * The text that the model wrote beside a call that has not ended, with the redactions of the thread; `null` if it
   * wrote none. Does not check who reads it.
   */
  readModelText(
    call: Pick<Approval, "tenantId" | "threadId" | "requestId">,
    reading: { seesEverything: boolean },
  ): Promise<string | null>;
  list(owner: Principal, limit?: number): Promise<Omit<ThreadView, "messages" | "nextCursor">[]>;
  /** A page of the owner's threads, the latest first, with the words of their first messages. */
  page(owner: Principal, page: { limit: number; offset?: number }): Promise<ThreadPage>;
}

/** A user's message, or a response with its calls and their results. */
export interface ThreadEntryView {
  id: string;
  at: Date;
  messages: ThreadMessage[];
}

export interface ThreadPage {
  threads: ThreadSummary[];
  /** Number of all threads of the owner. */
  total: number;
}

export interface ThreadSummary {
  id: string;
  status: ThreadView["status"];
  /** The beginning of the first user message; `null` before there is one. */
  title: string | null;
  /** Number of user messages and responses. */
  entries: number;
  createdAt: Date;
  updatedAt: Date;
}

const defaultLimit = 50;

export function createThreads(runtime: Pick<Runtime, "store" | "redactPatterns">): Threads {
  const { store, redactPatterns } = runtime;
  const summariesOf = async (tenantId: string, threads: readonly Thread[]) => {
    const waiting = await store.waitingThreads(
      tenantId,
      threads.map(({ id }) => id),
    );
    return threads.map(({ id, status, createdAt, updatedAt }) => ({
      id,
      status: waiting.has(id) ? ("waiting" as const) : status,
      createdAt,
      updatedAt,
    }));
  };
  const mayRead = async (thread: Thread, reader: Principal): Promise<boolean> => {
    if (thread.ownerId === reader.id) return true;
    const { tenantId, id: threadId } = thread;
    const calls = await store.listApprovals({ tenantId, threadId, visibleTo: reader, limit: 50 });
    return calls.some((call) => mayDecide(call, reader));
  };
  const readable = async (threadId: string, reader: Principal): Promise<Thread> => {
    const thread = await store.getThread(reader.tenantId, threadId);
    if (!thread || !(await mayRead(thread, reader))) throw notFound(threadId);
    return thread;
  };
  const before = async (thread: Thread, cursor: string | undefined) =>
    cursor === undefined ? undefined : placeOf(store, thread, cursor);
  const turnsOf: Threads["readTurns"] = async (threadId, reader, { seesEverything = false } = {}) => {
    const thread = await readable(threadId, reader);
    const [summary] = await summariesOf(reader.tenantId, [thread]);
    const earlier = await readTurns(runtime, thread, { principal: reader, seesEverything });
    const last = earlier.pop();
    const status = summary?.status ?? thread.status;
    return { earlier, last: last ? { ...last, status, lastRun: thread.status } : null };
  };
  return {
    async open({ threadId, owner }) {
      const id = threadId ?? `thr_${randomUUID()}`;
      if (threadId !== undefined && !(await store.getThread(owner.tenantId, threadId)))
        throw notFound(threadId);
      const thread = await store.openThread({ tenantId: owner.tenantId, id, ownerId: owner.id, runId: null });
      if (!thread) throw notFound(id);
      return { threadId: id };
    },
    ownerOf: async (tenantId, threadId) => (await store.getThread(tenantId, threadId))?.ownerId ?? undefined,
    async readEntries(threadId, reader, { seesEverything = false, limit = defaultLimit, cursor } = {}) {
      const thread = await readable(threadId, reader);
      const principal = { principal: reader, seesEverything };
      const { spoken } = await readMessages(runtime, thread, principal, {
        limit,
        before: await before(thread, cursor),
      });
      const ids = await publicIdsIn(store, thread);
      return spoken.map(({ key, at, messages }) => ({ id: ids.message(key), at, messages }));
    },
    async read(threadId, reader, { seesEverything = false, limit = defaultLimit, cursor } = {}) {
      const { tenantId } = reader;
      const thread = await readable(threadId, reader);
      const [summary] = await summariesOf(tenantId, [thread]);
      if (!summary) throw notFound(threadId);
      const principal = { principal: reader, seesEverything };
      const { messages, entries, hasOlder } = await readMessages(runtime, thread, principal, {
        limit,
        before: await before(thread, cursor),
      });
      const [oldest] = entries;
      return {
        ...summary,
        messages,
        nextCursor:
          hasOlder && oldest
            ? await cursorOf(store, thread, { at: oldest.createdAt, seq: oldest.seq })
            : null,
      };
    },
    readLastTurn: async (...read) => (await turnsOf(...read)).last,
    readTurns: turnsOf,
    async readBefore(call, reader, { seesEverything, limit }) {
      if (call.threadId === null) return [];
      const thread = await store.getThread(reader.tenantId, call.threadId);
      if (!thread || !(mayDecide(call, reader) || (await mayRead(thread, reader)))) return [];
      const { messages } = await readMessages(
        runtime,
        thread,
        { principal: reader, seesEverything },
        { limit, beforeCall: call },
      );
      return messages.slice(-limit);
    },
    async readModelText({ tenantId, threadId, requestId }, { seesEverything }) {
      const text = await store.readModelText(tenantId, requestId);
      if (text === null || threadId === null || seesEverything) return text;
      const ofThread = await store.hiddenInThread(tenantId, threadId);
      return messageRedaction({ calls: [], ofThread }, redactPatterns, { seesEverything }).words(text);
    },
    async list(owner, limit = defaultLimit) {
      const found = await store.listThreads({ tenantId: owner.tenantId, ownerId: owner.id, limit });
      return summariesOf(owner.tenantId, found);
    },
    async page({ id: ownerId, tenantId }, { limit, offset = 0 }) {
      const { threads, total } = await store.pageOfThreads({ tenantId, ownerId, limit, offset });
      const summaries = await summariesOf(tenantId, threads);
      return {
        total,
        threads: summaries.map((summary, index) => ({
          ...summary,
          title: titleOf(threads[index]?.firstMessageJson ?? null),
          entries: threads[index]?.entries ?? 0,
        })),
      };
    },
  };
}

function notFound(threadId: string): CountersignError {
  return new CountersignError(
    "thread_not_found",
    `Thread "${threadId}" does not exist, or you may not see it`,
  );
}
