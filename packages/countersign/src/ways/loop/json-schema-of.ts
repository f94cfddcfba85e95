import * as z from "zod";
import type { Tool } from "../../call/tool.js";
import type { AnyGateTool } from "./gate-tool.js";
import { reviewable } from "./reviewable-tool.js";

/**
 * The JSON Schema of a tool's arguments, as a model must be told it, whatever its schema is written in.
 *
 * @throws CountersignError `invalid_option` for a tool that cannot be offered to a model, naming the tool and the fix.
 *
 * @example
 * ```ts
 * import { gateTool, jsonSchemaOf } from "countersign";
 * import { z } from "zod";
 *
 * const refund = gateTool({
 *   name: "refund",
 *   inputSchema: z.object({ orderId: z.string() }),
 *   execute: ({ orderId }) => `refunded ${orderId}`,
 * });
 *
 * // As Anthropic's Messages API takes it.
 * export const offered = { name: refund.name, input_schema: jsonSchemaOf(refund) };
 * ```
 */
export function jsonSchemaOf(tool: AnyGateTool | Tool): { type: "object"; [word: string]: unknown } {
  const { parameters, mcp } = reviewable(tool);
  const described: object = parameters
    ? z.toJSONSchema(parameters as unknown as z.ZodType, { io: "input", unrepresentable: "any" })
    : (mcp?.tool.inputSchema ?? { properties: {} });
  return { ...described, type: "object" };
}
