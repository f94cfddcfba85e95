// Do not import Drizzle here: public declarations include this file.
import type { Approval } from "../../approval/approval.js";

export interface Thread {
  id: string;
  tenantId: string;
  ownerId: string | null;
  runId: string | null;
  status: "running" | "done" | "failed";
  createdAt: Date;
  updatedAt: Date;
}

export interface ThreadPageFilter {
  tenantId: string;
  ownerId: string;
  limit: number;
  offset: number;
}

export interface DescribedThread extends Thread {
  /** The beginning of the body of the first user message; `null` before there is one. */
  firstMessageJson: string | null;
  /** Number of user messages and responses. */
  entries: number;
}

export interface ThreadEntry {
  seq: number;
  runId: string | null;
  kind: "user" | "result";
  key: string;
  bodyJson: string;
  createdAt: Date;
}

/** A user's message, which begins a turn. */
export interface NewTurn {
  tenantId: string;
  threadId: string;
  runId: string | null;
  key: string;
  bodyJson: string;
}

/** A turn's place in its thread, and what its run has written since. */
export interface BegunTurn {
  seq: number;
  at: Date;
  /** Keys of the run's entries from this one on. */
  written: string[];
  isNew: boolean;
}

/** A place in a thread. Older entries precede it. */
export interface ThreadPlace {
  at: Date;
  seq: number;
}

/** The part of a thread to read. If the part is limited, the oldest entries are omitted. */
export interface ConversationFilter {
  tenantId: string;
  threadId: string;
  /** Maximum number of entries. */
  limit: number;
  /** Only entries before this place. */
  before?: ThreadPlace | undefined;
  /** Only entries that existed when this call was proposed. */
  beforeCall?: Pick<Approval, "requestId" | "runId" | "createdAt"> | undefined;
  /** Maximum size of the entries' bodies in bytes. No entry counts for more than `maxEntryBytes`. */
  maxBytes?: number | undefined;
  maxEntryBytes?: number | undefined;
  /**
   * The run that reads, or `null` outside of runs. A call then only counts as recorded if its entry is among those
   * read, since the run will not see it elsewhere.
   */
  forRun?: string | null | undefined;
}

/** A part of a thread, oldest first. */
export interface Conversation {
  entries: ThreadEntry[];
  hasOlder: boolean;
  /** Started calls of agents that no entry holds, because their run ended before it could write one. */
  unrecorded: Approval[];
  /** Calls of agents that people have undone. */
  undone: Approval[];
}

/** The calls whose fields appear in some entries of a thread. */
export interface EntriesCallsFilter {
  tenantId: string;
  threadId: string;
  requestIds: readonly string[];
  /** For entries of the host's, which do not name their request. */
  toolCallIds: readonly string[];
}

/** The redactions that calls of a thread apply to the text around them. */
export interface HiddenInThread {
  /** Calls with redacted fields. */
  calls: { redact: string[]; inputJson: string; editedInputJson: string | null }[];
  redactPatterns: string[];
}

/** Threads and their messages. */
export interface ThreadPort {
  /**
   * Creates or finds the thread; `undefined` if it belongs to another owner. Without a run's id it is opened for a run that is
   * about to begin a turn: it is `running` until that turn ends, or for ten minutes if none begins.
   */
  openThread(thread: {
    tenantId: string;
    id: string;
    ownerId: string | null;
    runId: string | null;
  }): Promise<Thread | undefined>;
  /** Writes a user's message, unless its key exists, and makes the thread the run's. Idempotent. */
  beginTurn(turn: NewTurn): Promise<BegunTurn>;
  /**
   * Marks a running thread as done, or as failed, unless another run has written into it since. Without a run's id, only
   * if no run has written into it since it was opened.
   */
  endThread(
    tenantId: string,
    threadId: string,
    runId: string | null,
    status?: "done" | "failed",
  ): Promise<void>;
  getThread(tenantId: string, threadId: string): Promise<Thread | undefined>;
  listThreads(filter: { tenantId: string; ownerId: string; limit: number }): Promise<Thread[]>;
  /** A page of a person's threads, the latest first. */
  pageOfThreads(filter: ThreadPageFilter): Promise<{ threads: DescribedThread[]; total: number }>;
  /** Which of these threads have a pending call. */
  waitingThreads(tenantId: string, threadIds: readonly string[]): Promise<Set<string>>;
  /** Adds entries. An entry whose key exists stays unchanged. */
  appendEntries(
    tenantId: string,
    threadId: string,
    entries: { runId: string | null; kind: ThreadEntry["kind"]; key: string; bodyJson: string }[],
  ): Promise<void>;
  /** The newest part of a thread, or the part before a place. */
  readConversation(filter: ConversationFilter): Promise<Conversation>;
  /** The last user message before a place. */
  readMessageBefore(tenantId: string, threadId: string, seq: number): Promise<ThreadEntry | undefined>;
  /** The approvals of these requests, and those of a thread with these tool call ids. */
  callsOfEntries(filter: EntriesCallsFilter): Promise<Approval[]>;
  /** The values that the thread's calls hide, also where a text repeats them. */
  hiddenInThread(tenantId: string, threadId: string): Promise<HiddenInThread>;
}
