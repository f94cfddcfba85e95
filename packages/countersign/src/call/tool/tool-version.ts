import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import * as z from "zod";
import type { Tool } from "../tool.js";

const versions = new WeakMap<Tool, string>();

/**
 * SHA-256 (hex) of the tool's name, description and input schema, and of what an MCP server says about its effects. An
 * approval is for this version; a tool that changes in between is another tool.
 */
export function toolVersion(tool: Tool): string {
  const known = versions.get(tool);
  if (known) return known;
  const version = hashCanonical({
    name: tool.name,
    description: tool.description ?? null,
    input: plain(inputSchema(tool)),
    annotations: plain(tool.mcp && Reflect.get(tool.mcp.tool, "annotations")),
  });
  versions.set(tool, version);
  return version;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** The input's JSON Schema as text, or `null` if the tool declares none. */
export function inputSchemaJson(tool: Tool): string | null {
  const schema = inputSchema(tool);
  return schema === undefined ? null : JSON.stringify(schema);
}

/** The input's JSON Schema: an MCP server's own, or made from Zod. */
function inputSchema(tool: Tool): unknown {
  if (tool.mcp) return tool.mcp.tool.inputSchema;
  if (!tool.parameters) return undefined;
  return z.toJSONSchema(tool.parameters, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (hasRandomDefault(zodSchema)) delete jsonSchema.default;
    },
  });
}

/** Whether a default is made anew each time, such as a random key. It is no part of what a tool is. */
function hasRandomDefault({ _zod: { def } }: z.core.$ZodTypes): boolean {
  if (def.type !== "default") return false;
  const [one, another] = [0, 1].map(() => JSON.stringify(def.defaultValue));
  return one !== another;
}
