import type { Agent, AgentResult, Message, StateData } from "@inngest/agent-kit";
import { joinCalls, orderConversation } from "../history/order-conversation.js";
import type { Runtime } from "../runtime.js";
import { guardTools } from "./guard-tools.js";
import { type ResponseArgs, reviewResponse } from "./review-response.js";
import { restoreAnswered, type WithheldCalls } from "./transcript.js";

const composedBy = new WeakMap<object, Runtime>();

/** What was said in one `agent.run` so far; AgentKit makes one network run for each. */
interface Conversation {
  first: Message[];
  since: AgentResult[];
}

type Hooks<T extends StateData> = Required<Pick<Agent.Lifecycle<T>, "onStart" | "onResponse" | "onFinish">>;

/**
 * The hook: reviews each response before its tools run, and makes the transcript whole afterwards. The user's own
 * `onResponse` comes first, so that what it changes is reviewed too; its `onFinish` comes last and sees it all.
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

  /** AgentKit gives a standalone agent's next turn only what the model said, without any tool's result. */
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

  const hooks: Hooks<T> = {
    async onStart(args) {
      guardTools(runtime, profile, args.agent as unknown as ResponseArgs["agent"]);
      const { prompt, history } = orderConversation(args);
      const whole = { prompt, history: joinCalls(historyOf(args.network, history)) };
      return own?.onStart ? own.onStart({ ...args, ...whole }) : { ...whole, stop: false };
    },
    async onResponse(args) {
      // A user's hook may answer otherwise on each replay; what the model said is the same on all of them.
      const said = JSON.stringify(args.result.output);
      const result = own?.onResponse ? await own.onResponse(args) : args.result;
      const review = await reviewResponse(runtime, profile, {
        ...args,
        said,
        result,
      } as unknown as ResponseArgs);
      if (review) withheld.set(result, review);
      if (args.network) conversations.get(args.network)?.since.push(result);
      return result;
    },
    async onFinish(args) {
      restore(args.result);
      return own?.onFinish ? own.onFinish(args) : args.result;
    },
  };
  // Known by a function, which survives when the hooks are spread into an object of the user's own.
  composedBy.set(hooks.onResponse, runtime);
  return { ...own, ...hooks } as L & Hooks<T>;
}

/** True when the hook is in these hooks already. */
export function isComposedBy(runtime: Runtime, hooks: Agent.Lifecycle<StateData> | undefined): boolean {
  return hooks?.onResponse !== undefined && composedBy.get(hooks.onResponse) === runtime;
}
