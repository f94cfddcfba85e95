import * as z from "zod";
import type { ToolFacts } from "./policy-call.js";

const annotationsSchema = z.object({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
});

/** A tool as policies read it, such as one of AgentKit: what `createTool` of `@inngest/agent-kit` returns. */
export interface ToolLike {
  name: string;
  /** A Zod schema, from which `definePolicy` takes the type of the arguments. */
  parameters?: unknown;
  /** The MCP server that the tool comes from, and the tool as that server lists it. */
  mcp?: { server: { name: string }; tool: { name: string } } | undefined;
}

/** A tool of an agent as rules find it. Unreadable annotations count as none, which is the stricter reading. */
export function toolFacts({ name: toolName, mcp }: ToolLike): ToolFacts {
  if (!mcp) return { toolName };
  const { server, tool } = mcp;
  const { data } = annotationsSchema.safeParse(Reflect.get(tool, "annotations") ?? {});
  return { toolName, mcp: { server: server.name, tool: tool.name, ...data } };
}
