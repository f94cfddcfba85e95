import {
  type Agent,
  getDefaultRoutingAgent,
  type Network,
  type StateData,
  type Tool,
} from "@inngest/agent-kit";
import type { Runtime } from "../runtime.js";
import { guardTool, guardTools } from "./guard-tools.js";
import { composeLifecycle, isComposedBy } from "./lifecycle.js";

const watchedTools = new WeakMap<Map<string, Tool.Any>, Runtime>();
const guardedRouters = new WeakSet<object>();
const guardedNetworks = new WeakMap<object, Runtime>();

/** Guards an agent in place: the hook, its tools, and every tool that is added to it later. */
export function guardAgent<A extends Agent<StateData>>(runtime: Runtime, agent: A, profile?: string): A {
  // AgentKit's own router is one object for all networks of the process; its two tools only choose agents.
  const shared: Agent<StateData> = getDefaultRoutingAgent();
  if (agent === shared) return agent;
  if (!isComposedBy(runtime, agent.lifecycles)) {
    agent.lifecycles = composeLifecycle(runtime, agent.lifecycles, profile);
  }
  guardTools(runtime, profile, agent);
  if (watchedTools.get(agent.tools) !== runtime) {
    const { tools } = agent;
    const set = tools.set.bind(tools);
    tools.set = (name, tool) => set(name, guardTool(runtime, profile, tool));
    watchedTools.set(tools, runtime);
  }
  return agent;
}

/** Guards a network in place: its agents, those added later, and those that a router brings in. */
export function guardNetwork<N extends Network<StateData>>(
  runtime: Runtime,
  network: N,
  profile?: string,
): N {
  if (guardedNetworks.get(network) === runtime) return network;
  guardedNetworks.set(network, runtime);
  for (const agent of network.agents.values()) guardAgent(runtime, agent, profile);
  const addAgent = network.addAgent.bind(network);
  network.addAgent = (agent) => addAgent(guardAgent(runtime, agent, profile));
  const run = network.run.bind(network);
  network.run = (input, overrides) => {
    // Agents and the router may have been set directly since: a run uses what is there when it begins.
    for (const agent of network.agents.values()) guardAgent(runtime, agent, profile);
    if (network.router) network.router = guardRouter(runtime, network.router, profile);
    return run(
      input,
      overrides && {
        ...overrides,
        ...(overrides.router ? { router: guardRouter(runtime, overrides.router, profile) } : {}),
        ...(overrides.defaultRouter
          ? { defaultRouter: guardRouter(runtime, overrides.defaultRouter, profile) }
          : {}),
      },
    );
  };
  return network;
}

function guardRouter(
  runtime: Runtime,
  router: Network.Router<StateData>,
  profile: string | undefined,
): Network.Router<StateData> {
  if (typeof router !== "function") return guardAgent(runtime, router, profile);
  if (guardedRouters.has(router)) return router;
  const guarded: typeof router = async (args) => {
    const next = await router(args);
    for (const agent of Array.isArray(next) ? next : next ? [next] : []) guardAgent(runtime, agent, profile);
    return next;
  };
  guardedRouters.add(guarded);
  return guarded;
}
