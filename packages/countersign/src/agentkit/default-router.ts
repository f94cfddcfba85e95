import { type Agent, getDefaultRoutingAgent, type StateData } from "@inngest/agent-kit";
import { classWithRun, isRoutingAgent } from "./agent-kit-shapes.js";

/**
 * True for AgentKit's default router: one object for all networks of the process, whose two tools only choose agents.
 */
export function isDefaultRouter(agent: Agent<StateData>): boolean {
  const own: Agent<StateData> = getDefaultRoutingAgent();
  if (agent === own) return true;
  return (
    classWithRun(agent) !== classWithRun(own) &&
    isRoutingAgent(agent) &&
    agent.name === own.name &&
    agent.tools.size === own.tools.size &&
    [...own.tools.keys()].every((name) => agent.tools.has(name))
  );
}
