import type { AgentResult, MaybePromise, StateData } from "@inngest/agent-kit";
import type { PendingApprovals } from "../history/pending-approvals.js";

/**
 * AgentKit's HistoryConfig for networks and agents with any state type, with the pending approvals of a thread.
 * AgentKit's own type with `StateData` would only fit networks of `StateData`.
 */
export interface CountersignHistory extends PendingApprovals {
  /** Opens the thread that the state names, or a new one. */
  createThread(context: HistoryContext): MaybePromise<{ threadId: string }>;
  /** Loads the earlier messages of the thread. */
  get(context: HistoryContext): Promise<AgentResult[]>;
  /** Saves the user's message when a run begins. */
  appendUserMessage(context: HistoryContext & { userMessage: NewUserMessage }): Promise<void>;
  /** Saves the agents' results when a run ends. */
  appendResults(context: HistoryContext & { newResults: AgentResult[] }): Promise<void>;
}

/** What AgentKit passes to a history about a run. */
export interface HistoryContext {
  state: { data: StateData; threadId?: string | undefined };
  input: string;
  threadId?: string | undefined;
  network?: object | undefined;
  step?: object | undefined;
}

/** A user's message as AgentKit passes it to a history. */
export interface NewUserMessage {
  id: string;
  content: string;
  role: "user";
  timestamp: Date;
}
