import type { Tool } from "@inngest/agent-kit";
import { z } from "zod";
import type { ToolFacts } from "./policy-call.js";

const annotationsSchema = z.object({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
});

/** A tool of an agent as rules find it. Unreadable annotations count as none, which is the stricter reading. */
export function toolFacts({ name: toolName, mcp }: Pick<Tool.Any, "name" | "mcp">): ToolFacts {
  if (!mcp) return { toolName };
  const { server, tool } = mcp;
  const { data } = annotationsSchema.safeParse(Reflect.get(tool, "annotations") ?? {});
  return { toolName, mcp: { server: server.name, tool: tool.name, ...data } };
}
