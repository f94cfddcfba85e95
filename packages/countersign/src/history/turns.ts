import { randomUUID } from "node:crypto";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { markAsked } from "../agentkit/transcript/order-conversation.js";
import { currentRun } from "../call/run/inngest-run.js";
import { currentNetwork, type RunningThread, type RunningTurn, turnAround } from "../call/run/turn.js";
import type { Store } from "../store/store.js";

export interface TurnBeginning {
  tenantId: string;
  threadId: string;
  /** The state of the network, or what a run without one has in its place. */
  state: { results: readonly object[] };
  network: { name: string } | undefined;
  message: { id: string; content: string };
}

/** The networks that AgentKit runs on a thread, and their turns. One per instance. */
export function createTurns(store: Pick<Store, "beginTurn" | "endThread">) {
  const threads = new WeakMap<object, Map<string, RunningThread>>();
  const ofNetwork = new WeakMap<object, RunningTurn>();
  const ofState = new WeakMap<object, RunningTurn[]>();

  const threadOf = (execution: object, tenantId: string, threadId: string): RunningThread => {
    const known = threads.get(execution) ?? new Map<string, RunningThread>();
    threads.set(execution, known);
    const name = JSON.stringify([tenantId, threadId]);
    const thread = known.get(name) ?? {
      written: new Set(),
      begun: new Map(),
      messages: new Set(),
      open: new Set(),
    };
    known.set(name, thread);
    return thread;
  };

  return {
    /** Saves the user's message, once for all replays. */
    async begin({
      tenantId,
      threadId,
      state,
      network,
      message,
    }: TurnBeginning): Promise<{ turn: RunningTurn; isNew: boolean }> {
      const run = await currentRun();
      const runId = run?.runId ?? null;
      const thread = threadOf(run?.execution ?? state, tenantId, threadId);
      const surroundings = currentNetwork();
      const earlierResults = state.results.length;
      // Networks that run in parallel may begin in any order, so a turn is named by its content.
      const about = derivedId("turn", network?.name ?? "", message.content);
      const nthOfThese = count(thread.begun, about);
      const key = runId === null ? `user:${randomUUID()}` : `user:${runId}.${about}.${nthOfThese}`;
      const begun = await store.beginTurn({
        tenantId,
        threadId,
        runId,
        key,
        bodyJson: JSON.stringify({ id: message.id, content: message.content, eventId: run?.eventId }),
      });
      for (const key of begun.written) thread.written.add(key);
      thread.messages.add(key);
      const turn: RunningTurn = {
        tenantId,
        threadId,
        runId,
        content: message.content,
        key,
        place: { at: begun.at, seq: begun.seq },
        thread,
        earlierResults,
        outer: turnAround(surroundings),
      };
      for (const earlier of ofState.get(state) ?? []) markAsked(earlier, state);
      if (surroundings) surroundings.turn ??= turn;
      thread.open.add(turn);
      ofState.set(state, [...(ofState.get(state) ?? []), turn]);
      if (network) ofNetwork.set(network, turn);
      return { turn, isNew: begun.isNew };
    },

    /** The turn of a network's run, or else the last one that began with this state. */
    of(network: object | undefined, state: object | undefined): RunningTurn | undefined {
      return (network && ofNetwork.get(network)) ?? (state && ofState.get(state)?.at(-1));
    },

    /** The turn that an agent's prompt belongs to, unless it has ended. */
    present(network: object | undefined, state: object | undefined): RunningTurn | undefined {
      const turn = this.of(network, state);
      return turn?.thread.open.has(turn) ? turn : undefined;
    },

    /**
     * The turn whose message ends the loaded conversation of a state. If networks share a state, it is the turn that
     * began first.
     */
    toLoad(network: object, state: object): RunningTurn | undefined {
      const open = (ofState.get(state) ?? []).filter((turn) => turn.thread.open.has(turn));
      const [first] = open.sort((one, other) => (one.place?.seq ?? 0) - (other.place?.seq ?? 0));
      return first ?? this.of(network, state);
    },

    /** A turn for a run whose host saves messages in its own way. */
    async unannounced(tenantId: string, threadId: string, state: object): Promise<RunningTurn> {
      const run = await currentRun();
      return {
        tenantId,
        threadId,
        runId: run?.runId ?? null,
        content: "",
        key: `user:${run?.runId ?? randomUUID()}.unannounced`,
        place: undefined,
        thread: threadOf(run?.execution ?? state, tenantId, threadId),
        earlierResults: 0,
        outer: undefined,
      };
    },

    isOpen: (turn: RunningTurn): boolean => turn.thread.open.has(turn),

    /** Ends the thread, unless the run continues in it. */
    async end(turn: RunningTurn): Promise<void> {
      const { thread, tenantId, threadId, runId } = turn;
      // Turns that began in a tool of this network have ended too, even if they failed without a report.
      for (const open of thread.open) if (isWithin(open, turn)) thread.open.delete(open);
      // On a replay, the database may hold a later turn that this execution has not reached yet.
      const later = [...thread.written].some((key) => key.startsWith("user:") && !thread.messages.has(key));
      if (thread.open.size > 0 || later) return;
      await store.endThread(tenantId, threadId, runId);
    },
  };
}

export type Turns = ReturnType<typeof createTurns>;

function count(counts: Map<string, number>, key: string): number {
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  return before;
}

/** Whether `inner` is `outer` itself, or began inside a network of `outer`. */
function isWithin(inner: RunningTurn | undefined, outer: RunningTurn): boolean {
  return inner !== undefined && (inner === outer || isWithin(inner.outer, outer));
}
