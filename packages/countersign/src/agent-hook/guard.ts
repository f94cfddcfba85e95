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
const guardedNetworks = new WeakMap<object, Runtime>();

/** Guards an agent in place: the hook, its tools, and every tool that is added to it later. */
export function guardAgent<A extends Agent<StateData>>(runtime: Runtime, agent: A): A {
  // AgentKit's own router is one object for all networks of the process; its two tools only choose agents.
  const shared: Agent<StateData> = getDefaultRoutingAgent();
  if (agent === shared) return agent;
  if (!isComposedBy(runtime, agent.lifecycles)) {
    agent.lifecycles = composeLifecycle(runtime, agent.lifecycles);
  }
  guardTools(runtime, agent);
  if (watchedTools.get(agent.tools) !== runtime) {
    const { tools } = agent;
    const set = tools.set.bind(tools);
    tools.set = (name, tool) => set(name, guardTool(runtime, tool));
    watchedTools.set(tools, runtime);
  }
  return agent;
}

/** Guards a network in place: its agents, those added later, and those that a router brings in. */
export function guardNetwork<N extends Network<StateData>>(runtime: Runtime, network: N): N {
  if (guardedNetworks.get(network) === runtime) return network;
  guardedNetworks.set(network, runtime);
  for (const agent of network.agents.values()) guardAgent(runtime, agent);
  const addAgent = network.addAgent.bind(network);
  network.addAgent = (agent) => addAgent(guardAgent(runtime, agent));
  if (network.router) network.router = guardRouter(runtime, network.router);
  const run = network.run.bind(network);
  network.run = (input, overrides) =>
    run(
      input,
      overrides && {
        ...overrides,
        ...(overrides.router ? { router: guardRouter(runtime, overrides.router) } : {}),
        ...(overrides.defaultRouter ? { defaultRouter: guardRouter(runtime, overrides.defaultRouter) } : {}),
      },
    );
  return network;
}

function guardRouter(runtime: Runtime, router: Network.Router<StateData>): Network.Router<StateData> {
  if (typeof router !== "function") return guardAgent(runtime, router);
  return async (args) => {
    const next = await router(args);
    for (const agent of Array.isArray(next) ? next : next ? [next] : []) guardAgent(runtime, agent);
    return next;
  };
}
