import { NonRetriableError } from "inngest";
import { resultKey } from "../approval/entry-key.js";
import { currentRun } from "../call/run/inngest-run.js";
import type { Conversations, Runtime } from "../call/run/runtime.js";
import { beginTurn } from "./begin-turn.js";
import { type HistoryWindow, loadConversation } from "./load-conversation.js";
import type { Recorder } from "./record-results.js";
import { sideBySide } from "./side-by-side.js";
import type { Turns } from "./turns.js";

interface ConversationsRuntime extends Pick<Runtime, "store" | "wake"> {
  turns: Turns;
  recorder: Recorder;
  historyWindow: HistoryWindow;
  supersede: "never" | "on-new-message";
}

/** Keeps the conversations of agents that are not AgentKit's, in the same threads and the same form. */
export function createConversations(runtime: ConversationsRuntime): Conversations {
  const { store, turns, recorder, historyWindow } = runtime;
  return {
    async begin({ tenantId, threadId, ownerId }, content) {
      const run = await currentRun();
      const id = threadId;
      const thread = await sideBySide(() =>
        store.openThread({ tenantId, id, ownerId, runId: run?.runId ?? null }),
      );
      if (!thread) throw foreignThread(threadId);
      const turn = await beginTurn(runtime, {
        tenantId,
        threadId,
        state: { results: [] },
        network: undefined,
        message: { id: crypto.randomUUID(), content },
      });
      const earlier = await sideBySide(() =>
        loadConversation(store, { tenantId, threadId }, turn, historyWindow),
      );
      return { turn, earlier };
    },

    save: (turn, response, requestId) =>
      sideBySide(() =>
        recorder.save(turn, resultKey(requestId ?? turn.key), { ...response, createdAt: new Date() }),
      ),

    end: (turn) => sideBySide(() => turns.end(turn)),
  };
}

/** A retry would find the same owner. */
export function foreignThread(id: string | undefined): Error {
  return new NonRetriableError(
    `This run cannot continue thread "${id}": it does not exist, or belongs to someone else`,
  );
}
