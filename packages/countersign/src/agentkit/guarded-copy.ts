import type { Agent, StateData, Tool } from "@inngest/agent-kit";
import type { Binding } from "../call/run/run-scope.js";
import { guardTool } from "./guard-tools.js";
import { composeLifecycle } from "./lifecycle.js";
import { noteCollision } from "./mcp-collisions.js";

type Tools = Map<string, Tool.Any>;

/**
 * A copy of the agent for a guarded run, which differs only in its tools and hooks. The agent itself stays unchanged,
 * since it may also run unguarded or in a run of another instance.
 */
export function guardedCopy(binding: Binding, agent: Agent<StateData>): Agent<StateData> {
  const { runtime, profile } = binding;
  const own = (value: unknown) => ({ value, writable: true, enumerable: true });
  return Object.create(agent, {
    tools: own(guardedView(binding, agent)),
    lifecycles: own(composeLifecycle(runtime, agent.lifecycles, profile)),
  });
}

/** The agent's current tools, each of them guarded. MCP servers add theirs during the run. */
function guardedView({ runtime, profile }: Binding, agent: Agent<StateData>): Tools {
  const guarded = new WeakMap<Tool.Any, Tool.Any>();
  const guard = (tool: Tool.Any): Tool.Any => {
    const known = guarded.get(tool) ?? guardTool(runtime, profile, tool);
    guarded.set(tool, known);
    return known;
  };
  const all = () => new Map([...agent.tools].map(([name, tool]) => [name, guard(tool)]));
  const replaced: Partial<Tools> = {
    get(name) {
      const tool = agent.tools.get(name);
      return tool && guard(tool);
    },
    set(name, tool) {
      noteCollision(agent, agent.tools, name, tool);
      agent.tools.set(name, tool);
      return view;
    },
    values: () => all().values(),
    entries: () => all().entries(),
    forEach: (visit) => all().forEach(visit),
    [Symbol.iterator]: () => all()[Symbol.iterator](),
  };
  const view: Tools = new Proxy(agent.tools, {
    get(tools, key) {
      const value: unknown = Reflect.get(replaced, key) ?? Reflect.get(tools, key, tools);
      return typeof value === "function" ? value.bind(tools) : value;
    },
  });
  return view;
}
