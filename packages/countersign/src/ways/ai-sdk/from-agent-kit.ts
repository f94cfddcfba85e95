import { mistake } from "../../call/run/mistake.js";
import type { Tool } from "../../call/tool.js";
import type { StandardSchema } from "../loop/input-schema.js";
import { jsonSchemaOf } from "../loop/json-schema-of.js";

/** An AgentKit tool in the form of a tool of the AI SDK. It runs behind `guardTools` only. */
export interface FromAgentKit {
  description?: string;
  /** A Standard Schema, which says itself what JSON Schema it is. */
  inputSchema: {
    readonly "~standard": Omit<StandardSchema["~standard"], "jsonSchema"> & {
      readonly jsonSchema: Record<"input" | "output", () => Record<string, unknown>>;
    };
  };
  execute(input: unknown, options: unknown): Promise<unknown>;
}

const origin = Symbol("AgentKit's tool");

/**
 * An AgentKit tool for an agent of the AI SDK: one of yours, `countersign.requestHumanInput()` with which the model asks
 * people, or a tool of an MCP server. `guardTools` runs its handler as AgentKit would, with the run's `step` if it is
 * durable, a network whose state is empty, and no agent.
 *
 * @throws CountersignError `invalid_option` for a tool that cannot be offered to a model, naming it.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import type { Countersign } from "countersign/agent-kit";
 * import { fromAgentKit } from "countersign/ai-sdk";
 * import { z } from "zod";
 *
 * declare const countersign: Countersign;
 *
 * const refund = createTool({
 *   name: "refund",
 *   parameters: z.object({ orderId: z.string() }),
 *   handler: ({ orderId }) => `refunded ${orderId}`,
 * });
 *
 * export const tools = {
 *   refund: fromAgentKit(refund),
 *   request_human_input: fromAgentKit(countersign.requestHumanInput()),
 * };
 * ```
 */
export function fromAgentKit(tool: Tool): FromAgentKit {
  const { name, description } = tool;
  const schema = jsonSchemaOf(tool);
  const unguarded: FromAgentKit = {
    ...(description !== undefined && { description }),
    inputSchema: {
      "~standard": {
        version: 1,
        vendor: "countersign",
        // The gate checks the arguments, and tells the model what is wrong with them.
        validate: (value) => ({ value }),
        jsonSchema: { input: () => schema, output: () => schema },
      },
    },
    execute: async () => {
      throw mistake(
        "invalid_option",
        `fromAgentKit(): "${name}" can only run behind the gate. Pass the tools through guardTools(tools, gate).`,
      );
    },
  };
  return Object.assign(unguarded, { [origin]: tool });
}

/** The AgentKit tool that a tool has been made from. */
export function agentKitToolOf(tool: object): Tool | undefined {
  return Reflect.get(tool, origin);
}
