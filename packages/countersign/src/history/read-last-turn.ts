import { derivedId } from "../shared/canonical-hash.js";
import type { Thread } from "../store/thread/thread-port.js";
import { readMessages, type ThreadMessage, type ThreadReader } from "./read-messages.js";

/** A user's message and what agents have answered so far. */
export interface LastTurn {
  /** The same on every read. */
  id: string;
  /** The status of the thread. It is also `waiting` if only a call of an earlier turn waits for approval. */
  status: "running" | "waiting" | "done" | "failed";
  /** The status of the run that wrote last, regardless of waiting calls. */
  lastRun: "running" | "done" | "failed";
  /** When the user's message was written. */
  at: Date;
  /** The turn's texts, calls and results, oldest first. */
  messages: ThreadMessage[];
}

/** Maximum number of entries of a turn that are read. */
const maxEntries = 200;

/** The latest turn. Messages that one agent of a run sends to another do not begin a turn. */
export async function readLastTurn(
  deps: Parameters<typeof readMessages>[0],
  thread: Thread,
  reader: ThreadReader,
): Promise<Omit<LastTurn, "status" | "lastRun"> | null> {
  const { entries, messages } = await readMessages(deps, thread, reader, { limit: maxEntries });
  const latest = entries.findLast(({ kind }) => kind === "user");
  if (!latest) return null;
  const begun =
    (latest.runId === null
      ? undefined
      : entries.find(({ kind, runId }) => kind === "user" && runId === latest.runId)) ?? latest;
  const users = entries.filter(({ kind, seq }) => kind === "user" && seq >= begun.seq).length;
  const places = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  const start = places.at(-users) ?? 0;
  return {
    id: derivedId("turn", thread.id, begun.key),
    at: begun.createdAt,
    messages: messages.slice(start).filter(({ role }) => role !== "user"),
  };
}
