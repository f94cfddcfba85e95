import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Agent, Network, StateData, Tool } from "@inngest/agent-kit";
import type { Binding } from "../call/run/run-scope.js";
import type { Runtime } from "../call/run/runtime.js";
import { warnOfUnruledTools } from "../call/tool/tool-warnings.js";
import { hostHistoryOf } from "../delivery/host-history/host-history.js";
import { type AgentLike, isAgent, isNetwork, isRoutingAgent, type NetworkLike } from "./agent-kit-shapes.js";
import { assertUnboundElsewhere, bindingOfHooks, bindingOfNetwork, bindNetwork } from "./bindings.js";
import { isDefaultRouter } from "./default-router.js";
import { guardTool, guardTools } from "./guard-tools.js";
import { guardedCopy } from "./guarded-copy.js";
import { guardRunsLike } from "./guarded-runs.js";
import { composeLifecycle } from "./lifecycle.js";
import { noteCollision } from "./mcp-collisions.js";
import { notePlaced } from "./unplaced-lifecycles.js";

const watchedTools = new WeakMap<Map<string, Tool.Any>, Runtime>();

/**
 * Guards an agent or a network in place, and returns it.
 * @throws CountersignError `invalid_option` for anything else, and as below.
 */
export function guard<G extends AgentLike | NetworkLike>(binding: Binding, agentOrNetwork: G): G {
  if (isNetwork(agentOrNetwork)) guardNetwork(binding, agentOrNetwork);
  else if (isAgent(agentOrNetwork)) guardAgent(binding, agentOrNetwork);
  else {
    throw new CountersignError(
      "invalid_option",
      "guard() requires an AgentKit agent or network, created with createAgent() or createNetwork()",
    );
  }
  return agentOrNetwork;
}

/**
 * Guards an agent in place: the hook, its tools, and every tool that is added later.
 * @throws CountersignError `invalid_option` for tools that cannot be offered, and for another instance's agent.
 */
function guardAgent(binding: Binding, agent: Agent<StateData>): void {
  guardRunsLike(agent);
  notePlaced(agent.lifecycles);
  if (isDefaultRouter(agent)) return;
  const { runtime, profile } = binding;
  const bound = bindingOfHooks(agent.lifecycles);
  assertUnboundElsewhere(runtime, `agent "${agent.name}"`, bound);
  serveHistoryOf(runtime, "agent", agent);
  guardTools(runtime, profile, agent);
  if (!bound) agent.lifecycles = composeLifecycle(runtime, agent.lifecycles, profile);
  warnOfUnruledRouter(binding, agent);
  const { tools } = agent;
  if (watchedTools.get(tools) === runtime) return;
  watchedTools.set(tools, runtime);
  const set = tools.set.bind(tools);
  tools.set = (name, tool) => {
    noteCollision(agent, tools, name, tool);
    return set(name, guardTool(runtime, profile, tool));
  };
}

/** A router chooses its first agent before any hook runs. */
function warnOfUnruledRouter(binding: Binding, agent: Agent<StateData>): void {
  if (!isRoutingAgent(agent)) return;
  warnOfUnruledTools(binding, { name: agent.name, tools: [...agent.tools.values()], routes: true });
}

/** Guards a network in place: its agents, those added later, and, through its run, those that a router adds. */
function guardNetwork(binding: Binding, network: Network<StateData>): void {
  guardRunsLike(network);
  const { runtime } = binding;
  const bound = bindingOfNetwork(network);
  assertUnboundElsewhere(runtime, `network "${network.name}"`, bound);
  serveHistoryOf(runtime, "network", network);
  const { router } = network;
  if (router && typeof router !== "function") guardAgent(binding, router);
  for (const agent of network.agents.values()) guardAgent(binding, agent);
  if (bound) return;
  bindNetwork(network, binding);
  const addAgent = network.addAgent.bind(network);
  network.addAgent = (agent) => {
    guardAgent(binding, agent);
    addAgent(agent);
  };
}

/** A process that starts again delivers to the histories of its networks at once, before any of them runs. */
function serveHistoryOf(
  runtime: Pick<Runtime, "serveHistory">,
  ...owner: Parameters<typeof hostHistoryOf>
): void {
  const history = hostHistoryOf(...owner);
  if (history) runtime.serveHistory(history);
}

/** The agent as it must run inside a guarded run: the agent itself if it is guarded, otherwise a guarded copy. */
export function guardedInRun(binding: Binding, agent: Agent<StateData>): Agent<StateData> {
  if (isDefaultRouter(agent)) return agent;
  const bound = bindingOfHooks(agent.lifecycles);
  if (!bound) {
    warnOfUnruledRouter(binding, agent);
    return guardedCopy(binding, agent);
  }
  // This agent has the hook, but perhaps its tools are not guarded. Guard them before its MCP servers add theirs.
  guardAgent(bound, agent);
  return agent;
}
