import { type Condition, compileCondition } from "../policy/condition.js";
import type { PolicyCall } from "../policy/policy.js";
import type { GrantedCall } from "../store/store.js";

const compiled = new Map<string, Condition>();
const mostCompiled = 1000;

function compile(text: string): Condition {
  let condition = compiled.get(text);
  if (!condition) {
    condition = compileCondition(text);
    if (compiled.size >= mostCompiled) compiled.clear();
    compiled.set(text, condition);
  }
  return condition;
}

/**
 * Whether a grant's condition holds for a call.
 * @throws Error whose message says what is wrong with the condition, or why it could not be judged.
 */
export function judgeCondition(text: string, call: GrantedCall): boolean {
  const seen: PolicyCall = {
    toolName: call.toolName,
    input: JSON.parse(call.inputJson),
    principal: call.policyContext.principal,
    thread: call.threadId === null ? null : { id: call.threadId },
  };
  return compile(text)(seen);
}

/** The same where a doubt (a missing field, another type) means no: a grant opens nothing by mistake. */
export function conditionHolds(text: string, call: GrantedCall): boolean {
  try {
    return judgeCondition(text, call);
  } catch {
    return false;
  }
}
