import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Countersign } from "countersign";
import type { ChatTurn } from "./chat-turn.js";
import { readChatTurns } from "./read-chat-turns.js";

/** Notifies of changes of a thread: a new message, another status, or a change of one of its calls. */
export interface ThreadFeed {
  /** `onChange` is also called when notices may have been lost. The returned function ends it. */
  follow(tenantId: string, threadId: string, onChange: () => void): Promise<() => Promise<void>>;
}

export interface FollowedChat {
  threadId: string;
  reader: Principal;
  /** The roles for which nothing is redacted. */
  fullViewRoles: readonly string[];
  /** The id of a turn that must not be shown: the one before a new message. */
  afterTurn: string | null;
  /** Milliseconds after which the reader is authenticated again. */
  heartbeatMs: number;
  /** Returns the reader with their current roles, or `undefined` if they are no longer signed in. */
  signedInNow(): Promise<Principal | undefined>;
  signal: AbortSignal;
}

/** Number of heartbeats after which the chat is read even without a notice. */
const beatsBetweenReads = 4;

/** A state of the turn, a heartbeat, or the end of the stream because a new message has begun another turn. */
export type ChatUpdate = { kind: "turn"; turn: ChatTurn } | { kind: "heartbeat" } | { kind: "followed" };

/**
 * Yields the states of one turn. It reads a state only when the consumer asks for it, and skips the changes in between.
 * So a slow consumer delays nobody else.
 */
export async function* followChat(
  countersign: Countersign,
  feed: ThreadFeed,
  chat: FollowedChat,
): AsyncGenerator<ChatUpdate> {
  const { threadId, signal } = chat;
  let reader: Principal | undefined = chat.reader;
  let changed = true;
  let followed: string | undefined;
  let wake = () => {};
  const onChange = () => {
    changed = true;
    wake();
  };
  signal.addEventListener("abort", onChange, { once: true });
  const unsubscribe = await feed.follow(reader.tenantId, threadId, onChange);
  let heartbeatAt = performance.now() + chat.heartbeatMs;
  try {
    for (let beats = 1; !signal.aborted; ) {
      // Checked even while changes arrive without pause, so that people who signed out or lost a role get no more.
      if (performance.now() >= heartbeatAt) {
        reader = await chat.signedInNow();
        if (!reader) return;
        heartbeatAt = performance.now() + chat.heartbeatMs;
        // A notice may have been lost. Reading at every heartbeat would be most of the work if many chats are open.
        changed ||= beats % beatsBetweenReads === 0;
        beats += 1;
        yield { kind: "heartbeat" };
      } else if (changed) {
        changed = false;
        const { fullViewRoles } = chat;
        const [turn] = await readChatTurns(countersign, threadId, reader, { fullViewRoles, onlyLast: true });
        if (!turn || turn.id === chat.afterTurn) continue;
        followed ??= turn.id;
        if (turn.id !== followed) {
          yield { kind: "followed" };
          return;
        }
        yield { kind: "turn", turn };
      } else {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, heartbeatAt - performance.now()));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          // The chat may have changed between the check above and this wait.
          if (changed || signal.aborted) wake();
        });
        wake = () => {};
      }
    }
  } finally {
    signal.removeEventListener("abort", onChange);
    await unsubscribe();
  }
}
