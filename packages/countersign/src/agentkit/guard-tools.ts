import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Agent, StateData, Tool } from "@inngest/agent-kit";
import * as z from "zod";
import { reportable } from "../call/execute/execution-outcome.js";
import { applyStateChanges } from "../call/execute/state-changes.js";
import { fitResult } from "../call/fit-conversation.js";
import { inHandler } from "../call/run/run-scope.js";
import type { Runtime } from "../call/run/runtime.js";
import { settle } from "../call/settle.js";
import { checkMark, shareMark } from "../call/tool/needs-approval.js";
import { assertJsonSchema } from "../call/tool/tool-schema.js";
import { shareChecks } from "../call/tool/with-checks.js";
import { sharePreview } from "../call/tool/with-preview.js";
import { assertDistinctTools } from "./mcp-collisions.js";

const guardOf = new WeakMap<Tool.Any, Runtime>();
const originals = new WeakMap<Tool.Any, Tool.Any>();

/**
 * Wraps the handlers of all tools that the agent has now. Wrapped tools stay unchanged.
 * @throws CountersignError `invalid_option` for tools that no model can be offered, or with a mark that names a wrong channel.
 */
export function guardTools(runtime: Runtime, profile: string | undefined, agent: Agent<StateData>): void {
  assertDistinctTools(agent);
  for (const tool of agent.tools.values()) assertUsable(runtime, tool);
  for (const [name, tool] of agent.tools) {
    if (guardOf.get(tool) !== runtime) agent.tools.set(name, guardTool(runtime, profile, tool));
  }
}

function assertUsable(runtime: Runtime, tool: Tool.Any): void {
  assertJsonSchema(tool);
  checkMark(runtime, tool.name, tool);
}

/** The same tool with a handler that runs only for calls that the hook has reviewed. */
export function guardTool(runtime: Runtime, profile: string | undefined, given: Tool.Any): Tool.Any {
  if (guardOf.get(given) === runtime) return given;
  // Another instance's agent may pass its tools on; unwrap them first, since its guard is not part of them.
  const tool = originals.get(given) ?? given;
  assertUsable(runtime, tool);
  const guarded: Tool.Any = {
    ...tool,
    ...mcpDefinition(tool, runtime.logger),
    async handler(input: unknown, options) {
      const ticket = typeof input === "object" && input !== null ? runtime.tickets.get(input) : undefined;
      if (ticket?.toolName !== tool.name) throw notReviewed(tool.name);
      const { subject, callKey } = ticket;
      return inHandler({ runtime, profile }, ticket, async () => {
        const settled = await settle(
          runtime,
          { tool, profile, subject, callKey, input },
          ticket.outcome,
          options,
        );
        if (settled.status === "responded") throw new Error("unreachable: an answered call does not run");
        if (settled.status !== "executed") throw reportable(settled);
        applyStateChanges(options.network.state, settled.state);
        if (settled.note !== undefined) ticket.addNote(settled.note);
        return ticket.outcome.kind === "allowed" ? fitResult(settled.data) : settled.data;
      });
    },
  };
  shareChecks(guarded, tool);
  sharePreview(guarded, tool);
  shareMark(guarded, tool);
  guardOf.set(guarded, runtime);
  originals.set(guarded, tool);
  return guarded;
}

/**
 * Replaces the parts of an MCP tool that would make every model request with it fail in AgentKit. Its parameters come
 * from a library with its own Zod 3, which AgentKit's adapters cannot turn into JSON Schema. It also asks OpenAI for
 * strict mode, which refuses the optional properties that MCP servers' schemas commonly have.
 */
function mcpDefinition(tool: Tool.Any, logger: Logger): Pick<Tool.Any, "parameters" | "strict"> | undefined {
  if (!tool.mcp) return undefined;
  const strict = tool.strict ?? false;
  if (tool.parameters && "_zod" in tool.parameters) return { strict };
  const schema = jsonSchema.safeParse(tool.mcp.tool.inputSchema);
  return schema.success ? { strict, parameters: zodOf(tool.name, schema.data, logger) } : { strict };
}

/**
 * Converts a schema to Zod. If Zod cannot express it, the tool gets one without checks: after an error, the agent would
 * lack this tool and all that the server lists after it.
 */
function zodOf(toolName: string, schema: z.output<typeof jsonSchema>, logger: Logger): z.ZodType {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    logger.warn(`The schema of "${toolName}" cannot be checked here; the MCP server checks it`, {
      toolName,
      error: String(error),
    });
    return z.looseObject({});
  }
}

const jsonSchema = z.custom<Parameters<typeof z.fromJSONSchema>[0]>(
  (value) => typeof value === "object" && value !== null,
);

function notReviewed(toolName: string): CountersignError {
  return new CountersignError(
    "unguarded_call",
    `"${toolName}" was called without review, so it did not run. Add the hook to the agent (lifecycle: countersign.lifecycle(), or countersign.guard(agent)), and pass the model's original input object to the handler, not a copy.`,
  );
}
