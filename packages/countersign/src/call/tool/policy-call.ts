import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import { toolFacts } from "@countersign/policy/internal/policy/tool-facts";
import { questionTerms } from "../../questions/request-human-input.js";
import type { Subject } from "../run/subject.js";
import type { Tool } from "../tool.js";
import { markOf } from "./needs-approval.js";

/** One call as the policy sees it: the current tool, and the subject of the run. */
export function policyCall(
  subject: Subject,
  profile: string | undefined,
  tool: Tool,
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
    marked: markOf(tool),
  };
}
