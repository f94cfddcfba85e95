import type { Agent, State, StateData } from "@inngest/agent-kit";
import type { AgentLike, NetworkLike } from "../agentkit/agent-kit-shapes.js";
import type { Publish } from "../agentkit/streaming/stream-events.js";
import type { Streaming } from "../agentkit/streaming/streaming.js";
import type { RunContext } from "../call/run/run-context.js";
import type * as core from "./countersign.js";
import type { CountersignHistory } from "./network-history.js";

/** @typeParam S The type of the networks' state, which `context` reads. */
export interface CountersignOptions<S extends StateData = StateData> extends core.CountersignOptions {
  /**
   * Reads the tenant, requester and thread of a run from the state of its network or standalone agent. Throw if the
   * state lacks an id. It is called on every replay, and for sub-agents with their own state, so keep it pure.
   * @default every run works for the instance's `tenantId`, without a requester
   */
  context?: (input: ContextInput<S>) => RunContext;
}

/** The input for {@link RunContext}. */
export interface ContextInput<S extends StateData = StateData> {
  state: State<S>;
  /** Tenant and requester of the run that started this one; `undefined` if no guarded run started it. */
  outer?: Pick<RunContext, "tenantId" | "requester">;
}

/** The policy profile that an agent is bound to. The model can neither see nor choose it. */
export interface ProfileBinding {
  profile?: string;
}

/** One instance, with the hooks and the history for AgentKit's agents. */
export interface Countersign extends core.Countersign {
  /**
   * Hooks for `createAgent({ lifecycle })`. They also call your own. For a network, use `guard(network)`: AgentKit has no
   * lifecycle of networks. While no agent has the hooks, unguarded runs with gated tools fail with
   * `invalid_option`.
   */
  lifecycle<T extends StateData>(
    own?: Agent.Lifecycle<T>,
    binding?: ProfileBinding,
  ): Required<Pick<Agent.Lifecycle<T>, "onStart" | "onResponse" | "onFinish">> & Agent.Lifecycle<T>;
  /** For `createNetwork({ history })` or `createAgent({ history })`. */
  readonly history: CountersignHistory;
  /**
   * Guards an agent, or a network with all its agents, in place, and returns it. Agents that a tool's handler or a
   * router starts inside its runs are guarded while they run there.
   * @throws CountersignError `invalid_option` for anything else, for an agent of another instance, for tools whose
   * parameters have no JSON Schema, and for MCP servers whose tools would have the same name.
   */
  guard<G extends AgentLike | NetworkLike>(agentOrNetwork: G, binding?: ProfileBinding): G;
  /**
   * AgentKit's option `streaming` for a guarded run: `publish` also gets the calls that wait, before they wait, and how
   * they ended. Calls keep the model's ids. Replays publish the same events under the same ids, as AgentKit does.
   *
   * @example
   * ```ts
   * import { createState, type Network, type StateData } from "@inngest/agent-kit";
   * import type { Countersign } from "countersign/agent-kit";
   *
   * declare const countersign: Countersign;
   * declare const network: Network<StateData>;
   * declare function toBrowser(userId: string, chunk: object): Promise<void>;
   *
   * export const answer = (message: string, thread: { id: string; userId: string }) =>
   *   network.run(message, {
   *     state: createState({ userId: thread.userId }, { threadId: thread.id }),
   *     streaming: countersign.streaming((chunk) => toBrowser(thread.userId, chunk)),
   *   });
   * ```
   */
  streaming(publish: Publish): Streaming;
}
