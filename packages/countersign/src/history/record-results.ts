import { isRoutingAgent } from "../agentkit/agent-kit-shapes.js";
import { isLoaded } from "../agentkit/transcript/order-conversation.js";
import { resultKey } from "../approval/entry-key.js";
import type { SavableResponse, Speaker } from "../call/run/runtime.js";
import type { RunningTurn } from "../call/run/turn.js";
import type { Store } from "../store/store.js";
import type { ResultBody } from "./entry-body.js";
import { sideBySide } from "./side-by-side.js";
import type { Turns } from "./turns.js";

type Append = (...args: never[]) => unknown;

/**
 * Saves the agents' output and tool results, response by response, so that a run that fails later leaves its part in
 * the thread. AgentKit itself saves everything at the end of a network that succeeds, and nothing for an agent without
 * a network.
 */
export function createRecorder(store: Pick<Store, "appendEntries">, turns: Turns) {
  const names = new WeakMap<object, string>();
  const recorded = new WeakSet<object>();
  const ownAppends = new WeakSet<Append>();

  const writeOnce = async (
    turn: RunningTurn,
    bodies: { key: string; body: () => object }[],
  ): Promise<void> => {
    const { written } = turn.thread;
    const missing = bodies.filter(({ key }) => !written.has(key));
    if (missing.length === 0) return;
    const entries = missing.map(({ key, body }) => ({
      runId: turn.runId,
      kind: "result" as const,
      key,
      bodyJson: JSON.stringify(body()),
    }));
    await store.appendEntries(turn.tenantId, turn.threadId, entries);
    for (const { key } of missing) written.add(key);
  };

  const write = async (
    turn: RunningTurn,
    results: { result: SavableResponse; key: string }[],
  ): Promise<void> => {
    await writeOnce(
      turn,
      results.map(({ result, key }) => ({ key, body: () => result.export() })),
    );
    for (const { result } of results) recorded.add(result);
  };

  return {
    /** Names a response by the request id of its gated calls, even if it has none. Replays find the same name. */
    name(result: object, requestId: string): void {
      names.set(result, requestId);
    },

    /** Marks a host's `appendResults` as our own. With another one, the host itself decides what to save. */
    ownsAppend(append: Append): void {
      ownAppends.add(append);
    },

    /** Saves the final form of an agent's responses, unless they are saved already. */
    async record(
      { agent, network }: Speaker,
      results: readonly { original: object; result: SavableResponse }[],
    ) {
      const history = historyOf(network ?? {}) ?? historyOf(agent);
      const turn = turns.of(undefined, network?.state);
      // A router's output is not part of the conversation; AgentKit does not keep it either.
      if (!turn || isRoutingAgent(agent)) return;
      if (!history?.appendResults || !ownAppends.has(history.appendResults)) return;
      const named = results.flatMap(({ original, result }) => {
        const name = names.get(original);
        return name === undefined || recorded.has(result) ? [] : [{ result, key: resultKey(name) }];
      });
      await sideBySide(() => write(turn, named));
    },

    /** Saves the response of an agent that is not AgentKit's, unless the run has saved it. */
    save: (turn: RunningTurn, key: string, body: ResultBody): Promise<void> =>
      writeOnce(turn, [{ key, body: () => body }]),

    /** Saves the results that AgentKit passes at the end of a network and that are not saved yet. */
    async append(
      turn: RunningTurn,
      results: readonly SavableResponse[],
      ofRun: readonly SavableResponse[],
    ): Promise<void> {
      const fresh = results.filter((result) => !recorded.has(result) && !isLoaded(result));
      const taken = new Set<string>();
      const keys = fresh.map((result, index) => {
        const name = names.get(result) ?? nameByCalls(result, ofRun, taken);
        if (name !== undefined) taken.add(name);
        return { result, key: name === undefined ? `${resultKey(turn.key)}.${index}` : resultKey(name) };
      });
      await write(turn, keys);
    },
  };

  /** A host's own `appendResults` may pass copies, so we recognise them by their calls. */
  function nameByCalls(
    copy: SavableResponse,
    ofRun: readonly SavableResponse[],
    taken: ReadonlySet<string>,
  ): string | undefined {
    const calls = callIds(copy);
    if (calls === "") return undefined;
    for (const result of ofRun) {
      const name = names.get(result);
      if (name !== undefined && !taken.has(name) && callIds(result) === calls) return name;
    }
    return undefined;
  }
}

/** AgentKit declares this field private and has no other access to it. */
function historyOf(agent: object): { appendResults?: Append } | undefined {
  return Reflect.get(agent, "history");
}

export type Recorder = ReturnType<typeof createRecorder>;

function callIds({ output }: SavableResponse): string {
  return output
    .flatMap((part) => (part.type === "tool_call" ? part.tools.map(({ id }) => id) : []))
    .join("\n");
}
