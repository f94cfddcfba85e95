import type { Agent, StateData, Tool } from "@inngest/agent-kit";
import { z } from "zod";
import { CountersignError } from "../errors.js";
import type { Runtime } from "../runtime.js";
import { executeApproved, type HandlerOptions } from "./execute.js";

const guardOf = new WeakMap<Tool.Any, Runtime>();

/** Wraps the handlers of all tools that the agent has now; tools wrapped already stay as they are. */
export function guardTools(runtime: Runtime, profile: string | undefined, agent: Agent<StateData>): void {
  for (const [name, tool] of agent.tools) {
    if (guardOf.get(tool) !== runtime) agent.tools.set(name, guardTool(runtime, profile, tool));
  }
}

/** The same tool with a handler that runs only for calls which the hook has reviewed. */
export function guardTool(runtime: Runtime, profile: string | undefined, tool: Tool.Any): Tool.Any {
  if (guardOf.get(tool) === runtime) return tool;
  const guarded: Tool.Any = {
    ...tool,
    ...mcpDefinition(tool),
    async handler(input: unknown, options) {
      const ticket = typeof input === "object" && input !== null ? runtime.tickets.get(input) : undefined;
      if (ticket?.toolName !== tool.name) throw notReviewed(tool.name);
      if (ticket.kind === "allowed") return tool.handler(input, options);
      const { approvalId } = ticket;
      return executeApproved(runtime, { tool, profile, approvalId }, options as unknown as HandlerOptions);
    },
  };
  guardOf.set(guarded, runtime);
  return guarded;
}

/**
 * What AgentKit gets wrong about an MCP tool, so that every model request with one would fail. Its parameters are
 * made by a library that brings its own Zod 3, which AgentKit's adapters cannot turn into JSON Schema; and it asks
 * OpenAI for strict mode, which refuses the optional properties that MCP servers' schemas commonly have.
 */
function mcpDefinition(tool: Tool.Any): Pick<Tool.Any, "parameters" | "strict"> | undefined {
  if (!tool.mcp) return undefined;
  const strict = tool.strict ?? false;
  if (tool.parameters && "_zod" in tool.parameters) return { strict };
  const schema = jsonSchema.safeParse(tool.mcp.tool.inputSchema);
  return schema.success ? { strict, parameters: zodOf(tool.name, schema.data) } : { strict };
}

/** A schema that Zod cannot express must not cost the agent this tool and all that the server lists after it. */
function zodOf(toolName: string, schema: z.output<typeof jsonSchema>): z.ZodType {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    console.warn(
      `Countersign: the schema of "${toolName}" cannot be checked here; the MCP server checks it:`,
      String(error),
    );
    return z.looseObject({});
  }
}

const jsonSchema = z.custom<Parameters<typeof z.fromJSONSchema>[0]>(
  (value) => typeof value === "object" && value !== null,
);

function notReviewed(toolName: string): CountersignError {
  return new CountersignError(
    "unguarded_call",
    `"${toolName}" was called without having been reviewed, so it did not run. Give the agent the hook (lifecycle: countersign.lifecycle(), or countersign.guard(agent)), and hand the model's own input object to the handler, not a copy.`,
  );
}
