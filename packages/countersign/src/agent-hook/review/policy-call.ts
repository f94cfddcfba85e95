import type { Tool } from "@inngest/agent-kit";
import { z } from "zod";
import type { McpFacts, PolicyCall } from "../../policy/policy-call.js";
import { questionTerms } from "../../questions/request-human-input.js";
import type { Subject } from "../run/subject.js";

/** One call as the policy sees it: the current tool, and the subject of the run. */
export function policyCall(
  subject: Subject,
  profile: string | undefined,
  tool: Tool.Any,
  input: unknown,
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
  };
}

const annotationsSchema = z.object({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
});

/** Unreadable annotations count as none, which is the stricter reading. */
function mcpFacts(tool: Tool.Any): McpFacts | undefined {
  if (!tool.mcp) return undefined;
  const parsed = annotationsSchema.safeParse(Reflect.get(tool.mcp.tool, "annotations") ?? {});
  return { server: tool.mcp.server.name, ...(parsed.success ? parsed.data : {}) };
}
