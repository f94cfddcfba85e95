import { toolFacts } from "@countersign/policy/internal/policy/tool-facts";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { warnOnce } from "@countersign/policy/internal/shared/warn-once";
import type { Agent, StateData } from "@inngest/agent-kit";
import type { Binding } from "../call/run/run-scope.js";
import type { Runtime } from "../call/run/runtime.js";
import { markOf } from "../call/tool/needs-approval.js";
import { policyCall } from "../call/tool/policy-call.js";
import { nobody } from "../call/tool/tool-warnings.js";
import { isNetwork } from "./agent-kit-shapes.js";
import { isDefaultRouter } from "./default-router.js";

/** The hooks that no agent has had yet, and their instances. */
const unplacedHooks = new WeakMap<object, Runtime>();
/** How many of them each instance has returned, and the profile of the last one. */
const unplaced = new Map<string, Binding & { count: number }>();

const keyOf = ({ orchestrator, appId }: Runtime) => orchestrator.id(appId);

/** Forgets the hooks of an earlier instance that this one replaces, as after a hot reload. */
export function forgetReplaced(runtime: Runtime): void {
  unplaced.delete(keyOf(runtime));
}

/** Notes a hook that the host gets and has to put on an agent. */
export function noteUnplaced(onResponse: object, { runtime, profile }: Binding): void {
  const before = unplaced.get(keyOf(runtime));
  unplacedHooks.set(onResponse, runtime);
  unplaced.set(keyOf(runtime), {
    runtime,
    profile,
    count: before?.runtime === runtime ? before.count + 1 : 1,
  });
}

/** Notes that an agent has these hooks. */
export function notePlaced(lifecycle: { onResponse?: object | undefined } | undefined): void {
  const hook = lifecycle?.onResponse;
  const runtime = hook && unplacedHooks.get(hook);
  if (!hook || !runtime) return;
  unplacedHooks.delete(hook);
  const others = unplaced.get(keyOf(runtime));
  if (others?.runtime !== runtime) return;
  others.count -= 1;
  if (others.count === 0) unplaced.delete(keyOf(runtime));
}

/**
 * Notes the lifecycles of agents when they are created, so that an agent that has not run yet counts. The setter
 * defines the same property as AgentKit's constructor would.
 */
export function notePlacedAtCreation(agentPrototype: object): void {
  Object.defineProperty(agentPrototype, "lifecycles", {
    configurable: true,
    get: () => undefined,
    set(this: object, value: Agent.Lifecycle<StateData> | undefined) {
      // The host may still assign a lifecycle.
      if (value === undefined) return;
      const property = { value, configurable: true, enumerable: true, writable: true };
      Object.defineProperty(this, "lifecycles", property);
      notePlaced(value);
    },
  });
}

/**
 * The error for an unguarded run that would start a tool without the check that the policy requires, because the host
 * put the lifecycle where AgentKit ignores it, such as on a network. Then there is a lifecycle that no agent has.
 * @param outermost The network that runs the agents, or the agent.
 */
export function misplacedLifecycle(
  agents: readonly Agent<StateData>[],
  outermost: { name: string },
): CountersignError | undefined {
  if (unplaced.size === 0) return undefined;
  for (const agent of agents) notePlaced(agent.lifecycles);
  // An unknown hook may call ours.
  const plain = agents.filter((agent) => !agent.lifecycles?.onResponse && !isDefaultRouter(agent));
  if (plain.length === 0) return undefined;
  const kind = isNetwork(outermost) ? "network" : "agent";
  const cause = `no agent has the hooks that countersign.lifecycle() returned, and the ${kind} "${outermost.name}" is not guarded`;
  const cure = `Call countersign.guard(${kind}) before the run, or pass the hooks to createAgent({ lifecycle }). AgentKit has no createNetwork({ lifecycle }) and ignores it.`;
  for (const { runtime, profile } of unplaced.values()) {
    const tool = plain.flatMap(({ tools }) => [...tools.values()]).find(isChecked(runtime, profile));
    if (tool) {
      return new CountersignError(
        "invalid_option",
        `lifecycle: ${cause}, so its tool "${tool.name}" would run without the check that the policy requires. ${cure}`,
      );
    }
    warnOnce(runtime.logger, `lifecycle ${kind} ${outermost.name}`, `lifecycle: ${cause}. ${cure}`, {});
  }
  return undefined;
}

/** The tool has a mark, or a rule covers it and does not allow it. A tool that no rule names is of another network, which nobody guards. */
const isChecked =
  ({ policy }: Runtime, profile: string | undefined) =>
  (tool: Parameters<typeof policyCall>[2]): boolean =>
    (markOf(tool) !== undefined || policy.covers?.(toolFacts(tool)) !== false) &&
    policy.evaluate(policyCall(nobody, profile, tool, {})).kind !== "allow";
