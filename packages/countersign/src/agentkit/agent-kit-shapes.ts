import type { Agent, Network, StateData } from "@inngest/agent-kit";

/** An AgentKit agent with any state type, from any copy of AgentKit. */
export interface AgentLike {
  name: string;
  tools: ReadonlyMap<string, object>;
  run(...args: never[]): Promise<unknown>;
  withModel(...args: never[]): object;
}

/** An AgentKit network with any state type, from any copy of AgentKit. */
export interface NetworkLike {
  name: string;
  agents: ReadonlyMap<string, AgentLike>;
  run(...args: never[]): Promise<unknown>;
}

/**
 * Recognises agents by shape. If AgentKit is loaded twice (as ES module and as CommonJS, or in two versions),
 * `instanceof` knows only the classes of one copy.
 */
export function isAgent(value: unknown): value is Agent<StateData> {
  return (
    hasRun(value) &&
    typeof Reflect.get(value, "name") === "string" &&
    Reflect.get(value, "tools") instanceof Map
  );
}

export function isNetwork(value: unknown): value is Network<StateData> {
  return hasRun(value) && Reflect.get(value, "agents") instanceof Map;
}

function hasRun(value: unknown): value is object {
  return typeof value === "object" && value !== null && classWithRun(value) !== undefined;
}

/** The prototype on which AgentKit defines `run`, whatever derives from it. */
export function classWithRun(value: object): object | undefined {
  let found: object | undefined;
  for (let at = Object.getPrototypeOf(value); at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    if (typeof Object.getOwnPropertyDescriptor(at, "run")?.value === "function") found = at;
  }
  return found;
}

/** True for AgentKit's agents that choose other agents. */
export function isRoutingAgent(agent: object): boolean {
  return Reflect.get(agent, "type") === "routing";
}
