import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { AgentResult, type HistoryConfig, type State, type StateData } from "@inngest/agent-kit";
import { markAsked, markLoaded } from "../agentkit/transcript/order-conversation.js";
import { currentRun } from "../call/run/inngest-run.js";
import { nameInRun } from "../call/run/name-in-run.js";
import type { RunningTurn } from "../call/run/turn.js";
import { markOwnHistory } from "../delivery/host-history/host-history.js";
import { beginTurn } from "./begin-turn.js";
import { foreignThread } from "./conversations.js";
import type { ResultBody } from "./entry-body.js";
import type { HistoryRuntime } from "./history-runtime.js";
import { loadConversation } from "./load-conversation.js";
import type { PendingApprovals } from "./pending-approvals.js";
import { sideBySide } from "./side-by-side.js";
import type { TurnBeginning } from "./turns.js";

/** AgentKit's whole HistoryConfig, with the pending approvals of a thread. */
export type CountersignHistory = Required<HistoryConfig<StateData>> & PendingApprovals;

/**
 * Threads, messages and results in Countersign's own database. AgentKit calls these outside of steps, and therefore
 * again on every replay. Each write has a key that the replay finds again, and `get` reads only what was there before
 * this run's own message.
 */
export function createHistory(
  runtime: HistoryRuntime,
  pendingApprovals: PendingApprovals,
): CountersignHistory {
  const { store, turns, recorder } = runtime;
  const loads = new WeakMap<object, { turn: RunningTurn | undefined; results: Promise<AgentResult[]> }>();
  const tenantOf = (context: { state: State<StateData> }) => runtime.subjectOfState(context.state).tenantId;

  const begin = (beginning: TurnBeginning) => beginTurn(runtime, beginning);

  const history: CountersignHistory = {
    async createThread(context) {
      const run = await currentRun();
      const { state, network, input } = context;
      const { requester, tenantId } = runtime.subjectOfState(state);
      const named = run && [run.runId, nameInRun(run.execution, "thread", network?.name, input)];
      const id = state.threadId ?? derivedId("thr", ...(named ?? [crypto.randomUUID()]));
      const thread = await sideBySide(() =>
        store.openThread({ tenantId, id, ownerId: requester?.id ?? null, runId: run?.runId ?? null }),
      );
      if (!thread) throw foreignThread(id);
      // AgentKit passes the user's message only to a network's history, not to that of a standalone agent.
      if (network?.history?.appendUserMessage) return { threadId: id };
      // In a network without a history, AgentKit repeats the input to an agent that has one.
      const isRepeated = network && network.agents.size > 0 && turns.of(undefined, state)?.content === input;
      if (!isRepeated) {
        const message = { id: crypto.randomUUID(), content: input };
        await begin({ tenantId, threadId: id, state, network, message });
      }
      return { threadId: id };
    },

    async appendUserMessage({ threadId, userMessage, network, ...context }) {
      if (!threadId) return;
      const { state } = context;
      await begin({ tenantId: tenantOf(context), threadId, state, network, message: userMessage });
    },

    async get({ threadId, network, ...context }) {
      if (!threadId) return [];
      const { state } = context;
      // A network inside another one's tool, with the same state: the conversation is already loaded into it.
      const known = loads.get(state);
      if (known?.turn?.threadId === threadId && turns.isOpen(known.turn))
        return sideBySide(() => known.results);
      const turn = turns.toLoad(network, state);
      const thread = { tenantId: tenantOf(context), threadId };
      const results = loadConversation(store, thread, turn, runtime.historyWindow).then((loaded) =>
        markLoaded(loaded.map(agentResult)),
      );
      loads.set(state, { turn, results });
      return sideBySide(() => results);
    },

    async appendResults({ threadId, newResults, network, ...context }) {
      if (!threadId) return;
      const { state } = context;
      const turn = turns.of(network, state) ?? (await turns.unannounced(tenantOf(context), threadId, state));
      markAsked(turn, state);
      await sideBySide(async () => {
        await recorder.append(turn, newResults, state.results);
        await turns.end(turn);
      });
    },

    ...pendingApprovals,
  };
  recorder.ownsAppend(history.appendResults);
  markOwnHistory(history);
  return history;
}

function agentResult({ agentName, output, toolCalls, createdAt }: ResultBody): AgentResult {
  return new AgentResult(agentName, output, toolCalls, createdAt);
}
