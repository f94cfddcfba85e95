import type { Tool } from "@inngest/agent-kit";
import { z } from "zod";
import type { McpFacts, PolicyCall } from "../policy/policy.js";
import { questionTerms } from "../questions/request-human-input.js";
import type { Subject } from "../runtime.js";

/** What one call looks like to the policy: the tool as it is now, and for whom the run works. */
export function policyCall(
  subject: Subject,
  profile: string | undefined,
  tool: Tool.Any,
  input: unknown,
  fitsTool?: () => boolean,
): PolicyCall {
  const { requester, threadId, threadRules } = subject;
  return {
    toolName: tool.name,
    input,
    principal: requester,
    thread: threadId === null ? null : { id: threadId, rules: threadRules },
    profile,
    mcp: mcpFacts(tool),
    question: questionTerms(tool),
    fitsTool,
  };
}

const annotationsSchema = z.object({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
});

/** Annotations that cannot be read count as none, which is the stricter reading. */
function mcpFacts(tool: Tool.Any): McpFacts | undefined {
  if (!tool.mcp) return undefined;
  const parsed = annotationsSchema.safeParse(Reflect.get(tool.mcp.tool, "annotations") ?? {});
  return { server: tool.mcp.server.name, ...(parsed.success ? parsed.data : {}) };
}
