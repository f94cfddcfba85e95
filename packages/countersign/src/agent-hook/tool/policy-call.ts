import type { Tool } from "@inngest/agent-kit";
import type { PolicyCall } from "../../policy/policy-call.js";
import { toolFacts } from "../../policy/tool-facts.js";
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
    ...toolFacts(tool),
    input,
    principal: requester,
    thread: threadId === null ? null : { id: threadId, rules: threadRules },
    profile,
    question: questionTerms(tool),
  };
}
