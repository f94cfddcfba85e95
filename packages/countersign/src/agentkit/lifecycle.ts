import type { Agent, AgentResult, Message, StateData } from "@inngest/agent-kit";
import { fitConversation } from "../call/fit-conversation.js";
import type { Binding } from "../call/run/run-scope.js";
import type { Runtime, Speaker } from "../call/run/runtime.js";
import { warnOfUnruledTools } from "../call/tool/tool-warnings.js";
import type { Tool } from "../call/tool.js";
import { isRoutingAgent } from "./agent-kit-shapes.js";
import { bindHook } from "./bindings.js";
import { guardTools } from "./guard-tools.js";
import { guardRuns, guardRunsLike } from "./guarded-runs.js";
import { type ResponseArgs, reviewResponse } from "./review-response.js";
import { arrangeCalls } from "./transcript/arrange-calls.js";
import { orderConversation } from "./transcript/order-conversation.js";
import { restoreAnswered, type WithheldCalls } from "./transcript/transcript.js";
import { notePlaced, noteUnplaced } from "./unplaced-lifecycles.js";

/** The messages of one `agent.run` so far. AgentKit makes one network run for each. */
interface Conversation {
  first: Message[];
  since: AgentResult[];
}

type Hooks<T extends StateData> = Required<Pick<Agent.Lifecycle<T>, "onStart" | "onResponse" | "onFinish">>;

/** The hook for the host to put on an agent. */
export function unplacedLifecycle<T extends StateData>(
  binding: Binding,
  own: Agent.Lifecycle<T> | undefined,
): Agent.Lifecycle<T> & Hooks<T> {
  const lifecycle = composeLifecycle<T, Agent.Lifecycle<T>>(binding.runtime, own, binding.profile);
  noteUnplaced(lifecycle.onResponse, binding);
  // A copy of AgentKit may have been loaded since the instance was made.
  guardRuns();
  return lifecycle;
}

/**
 * The hook. It reviews each response before its tools run and completes the transcript afterwards. The user's own
 * `onResponse` runs first, so that its changes are reviewed too; its `onFinish` runs last and sees everything.
 */
export function composeLifecycle<T extends StateData, L extends Agent.Lifecycle<T>>(
  runtime: Runtime,
  own: L | undefined,
  profile: string | undefined,
): L & Hooks<T> {
  const withheld = new WeakMap<AgentResult, WithheldCalls>();
  const conversations = new WeakMap<object, Conversation>();

  const restore = (result: AgentResult): void => {
    const review = withheld.get(result);
    if (review) restoreAnswered(result, review);
    withheld.delete(result);
  };

  /** AgentKit gives a standalone agent's next turn only the model's messages, without tool results. */
  const historyOf = (network: object | undefined, history: Message[]): Message[] => {
    const conversation = network && conversations.get(network);
    if (!network || !conversation) {
      if (network) conversations.set(network, { first: history, since: [] });
      return history;
    }
    for (const result of conversation.since) restore(result);
    return [
      ...conversation.first,
      ...conversation.since.flatMap(({ output, toolCalls }) => [...output, ...toolCalls]),
    ];
  };

  /** Saves responses in their thread, the last one as the user's own hook has changed it. */
  const record = (
    speaker: Pick<Agent.LifecycleArgs.Result<T>, "agent" | "network">,
    responses: readonly AgentResult[],
    changed?: AgentResult,
  ): Promise<void> => {
    const results = responses.map((result) => ({ original: result, result: changed ?? result }));
    return runtime.recorder.record(speaker as unknown as Speaker, results);
  };

  const hooks: Hooks<T> = {
    async onStart(args) {
      notePlaced(hooks);
      guardRunsLike(args.agent, args.network);
      guardTools(runtime, profile, args.agent as unknown as ResponseArgs["agent"]);
      // Only now does the agent have the tools of its MCP servers.
      const { name } = args.agent;
      const tools = [...args.agent.tools.values()] as Tool[];
      warnOfUnruledTools({ runtime, profile }, { name, tools, routes: isRoutingAgent(args.agent) });
      const turn = runtime.turns.present(args.network, args.network?.state);
      const { prompt, history } = orderConversation(args, turn);
      const { format } = args.agent.model ?? args.network?.defaultModel ?? {};
      const arranged = arrangeCalls(historyOf(args.network, history), format);
      const whole = { prompt, history: fitConversation(arranged) };
      await record(args, conversations.get(args.network ?? args)?.since ?? []);
      return own?.onStart ? own.onStart({ ...args, ...whole }) : { ...whole, stop: false };
    },
    async onResponse(args) {
      // A user's hook may return something else on each replay. The model's output is the same on all of them.
      const modelOutput: unknown = JSON.parse(JSON.stringify(args.result.output));
      const result = own?.onResponse ? await own.onResponse(args) : args.result;
      const review = await reviewResponse(runtime, profile, {
        ...args,
        modelOutput,
        history: args.result.history ?? [],
        result,
      } as unknown as ResponseArgs);
      if (review) withheld.set(result, review);
      if (args.network) conversations.get(args.network)?.since.push(result);
      return result;
    },
    async onFinish(args) {
      restore(args.result);
      let result = args.result;
      try {
        if (own?.onFinish) result = await own.onFinish(args);
      } finally {
        await record(args, [args.result], result);
      }
      return result;
    },
  };
  bindHook(hooks.onResponse, { runtime, profile });
  return { ...own, ...hooks } as L & Hooks<T>;
}
