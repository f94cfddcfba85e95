import { knownProfile } from "@countersign/policy/internal/policy/known-profile";
import { type Agent, createState, type StateData } from "@inngest/agent-kit";
import { guard, guardedInRun } from "../agentkit/guard.js";
import { guardRuns } from "../agentkit/guarded-runs.js";
import { unplacedLifecycle } from "../agentkit/lifecycle.js";
import { createStreaming } from "../agentkit/streaming/streaming.js";
import { forgetReplaced } from "../agentkit/unplaced-lifecycles.js";
import { createHistory } from "../history/history.js";
import type { Countersign, CountersignOptions } from "./agent-kit-countersign.js";
import { buildCountersign, type Framework } from "./build-countersign.js";
import { checkAgentKitOptions } from "./check-options.js";

/**
 * Makes a Countersign instance that also guards agents and networks of AgentKit.
 *
 * @throws CountersignError `invalid_option`, naming the option and the fix.
 *
 * @example
 * ```ts
 * import { createAgent } from "@inngest/agent-kit";
 * import { ask, definePolicy } from "countersign";
 * import { createCountersign } from "countersign/agent-kit";
 * import { pgliteStore } from "countersign/pglite";
 * import { Inngest } from "inngest";
 *
 * const inngest = new Inngest({ id: "support" });
 * const countersign = createCountersign({
 *   inngest,
 *   store: pgliteStore(),
 *   policy: definePolicy({ tools: { issue_refund: ask() } }),
 * });
 * export const agent = countersign.guard(createAgent({ name: "support", system: "You help customers." }));
 * ```
 */
export function createCountersign<S extends StateData = StateData>(
  options: CountersignOptions<S>,
): Countersign {
  checkAgentKitOptions(options);
  const { instance, runtime, threads } = buildCountersign(options, {
    contextOf: options.context as Framework["contextOf"],
    newState: () => createState(),
    guarded: (runtime) => (agent, profile) => guardedInRun({ runtime, profile }, agent as Agent<StateData>),
  });
  guardRuns();
  forgetReplaced(runtime);
  const { policy, logger } = runtime;
  return {
    ...instance,
    history: createHistory({ ...runtime, ...threads }, instance.history),
    streaming: (publish) => createStreaming(publish, logger),
    lifecycle: (own, { profile } = {}) =>
      unplacedLifecycle({ runtime, profile: knownProfile(policy, profile) }, own),
    guard: (agentOrNetwork, { profile } = {}) =>
      guard({ runtime, profile: knownProfile(policy, profile) }, agentOrNetwork),
  };
}
