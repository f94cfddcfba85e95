import type { Thread } from "../store/ports/thread-port.js";
import { publicIdsIn } from "./public-ids.js";
import { readMessages, type ThreadMessage, type ThreadReader } from "./read-messages.js";

/** A user's message and what agents have answered so far. */
export interface Turn {
  /** The same on every read. */
  id: string;
  /** The user's message, with an id that is also the same on every read. */
  asked: { id: string; text: string };
  /** When the user's message was written. */
  at: Date;
  /** The turn's texts, calls and results, oldest first. */
  messages: ThreadMessage[];
}

/** The latest turn of a thread. */
export interface LastTurn extends Turn {
  /** The status of the thread. It is also `waiting` if only a call of an earlier turn waits for approval. */
  status: "running" | "waiting" | "done" | "failed";
  /** The status of the run that wrote last, regardless of waiting calls. */
  lastRun: "running" | "done" | "failed";
}

/** Maximum number of entries of a thread that are read. */
const maxEntries = 200;

/** The latest turns, oldest first. Messages that one agent of a run sends to another do not begin a turn. */
export async function readTurns(
  deps: Parameters<typeof readMessages>[0],
  thread: Thread,
  reader: ThreadReader,
): Promise<Turn[]> {
  const { entries, spoken } = await readMessages(deps, thread, reader, { limit: maxEntries });
  const ids = await publicIdsIn(deps.store, thread);
  const asked = new Map(entries.flatMap((entry) => (entry.kind === "user" ? [[entry.key, entry]] : [])));
  const begun = new Set<string>();
  const turns: Turn[] = [];
  for (const { key, at, messages } of spoken) {
    const runId = asked.get(key)?.runId ?? null;
    const [first] = messages;
    if (asked.has(key) && first?.role === "user" && (runId === null || !begun.has(runId))) {
      if (runId !== null) begun.add(runId);
      const text = first.content;
      turns.push({ id: ids.turn(key), asked: { id: ids.message(key), text }, at, messages: [] });
    } else {
      turns.at(-1)?.messages.push(...messages.filter(({ role }) => role !== "user"));
    }
  }
  return turns;
}
