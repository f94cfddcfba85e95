import type { Agent, AgentResult, StateData } from "@inngest/agent-kit";
import { orderConversation } from "../history/order-conversation.js";
import type { Runtime } from "../runtime.js";
import { guardTools } from "./guard-tools.js";
import { type ResponseArgs, reviewResponse } from "./review-response.js";
import { restoreRefused, type WithheldCalls } from "./transcript.js";

const composedBy = new WeakMap<object, Runtime>();

/**
 * The hook: reviews each response before its tools run, and makes the transcript whole afterwards. The user's own
 * `onResponse` comes first, so that what it changes is reviewed too; its `onFinish` comes last and sees it all.
 */
export function composeLifecycle<T extends StateData, L extends Agent.Lifecycle<T>>(
  runtime: Runtime,
  own: L | undefined,
): L & Required<Pick<Agent.Lifecycle<T>, "onStart" | "onResponse" | "onFinish">> {
  const withheld = new WeakMap<AgentResult, WithheldCalls>();
  const hooks: Required<Pick<Agent.Lifecycle<T>, "onStart" | "onResponse" | "onFinish">> = {
    async onStart(args) {
      guardTools(runtime, args.agent as unknown as ResponseArgs["agent"]);
      const ordered = orderConversation(args);
      if (!own?.onStart) return { ...ordered, stop: false };
      return own.onStart({ ...args, ...ordered });
    },
    async onResponse(args) {
      const result = own?.onResponse ? await own.onResponse(args) : args.result;
      const review = await reviewResponse(runtime, { ...args, result } as unknown as ResponseArgs);
      if (review) withheld.set(result, review);
      return result;
    },
    async onFinish(args) {
      const review = withheld.get(args.result);
      if (review) restoreRefused(args.result, review);
      return own?.onFinish ? own.onFinish(args) : args.result;
    },
  };
  const composed = { ...own, ...hooks } as L & typeof hooks;
  composedBy.set(composed, runtime);
  return composed;
}

/** True when the hook is in these hooks already. */
export function isComposedBy(runtime: Runtime, hooks: object | undefined): boolean {
  return hooks !== undefined && composedBy.get(hooks) === runtime;
}
