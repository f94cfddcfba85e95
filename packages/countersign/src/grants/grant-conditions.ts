import { WorkLimit } from "@countersign/policy/internal/bounded/work-limit";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import { previewFacts } from "@countersign/policy/internal/policy/preview-facts";
import { compileCondition } from "@countersign/policy/internal/policy/rules/condition";
import { readableInput } from "@countersign/policy/internal/redaction/redact";
import type { GrantedCall } from "../approval/grant.js";

/**
 * Evaluates the conditions of grants for calls, each over what its author may see: a field that the call's rule redacts
 * for them cannot be read. All evaluations of one instance share one limit of work, whatever the conditions are.
 */
export class GrantConditions {
  readonly #limit = new WorkLimit();
  readonly #calls = new WeakMap<GrantedCall, { full: PolicyCall; readable: PolicyCall | undefined }>();

  /**
   * @throws ConditionError if the condition cannot be compiled, or not be evaluated for this call.
   * @throws TooMuchWork
   */
  judge(condition: string, call: GrantedCall, authorSeesAll: boolean): boolean {
    const seen = this.#callFor(call, authorSeesAll);
    return this.#limit.run((meter) => compileCondition(condition, meter).holds(seen, meter));
  }

  /** Like `judge`, but false if the condition cannot be evaluated, so that a broken condition allows nothing. */
  hold(condition: string, call: GrantedCall, authorSeesAll: boolean): boolean {
    try {
      return this.judge(condition, call, authorSeesAll);
    } catch {
      return false;
    }
  }

  #callFor(call: GrantedCall, authorSeesAll: boolean): PolicyCall {
    let known = this.#calls.get(call);
    if (!known) {
      const { toolName, inputJson, policyContext, threadId, terms } = call;
      const full: PolicyCall = {
        toolName,
        input: JSON.parse(inputJson),
        principal: policyContext.principal,
        thread: threadId === null ? null : { id: threadId },
        ...previewFacts(terms.preview),
      };
      known = { full, readable: undefined };
      this.#calls.set(call, known);
    }
    const { full } = known;
    if (authorSeesAll) return full;
    const { redact, redactPatterns } = call.terms;
    const hides = redact.length + redactPatterns.length > 0;
    known.readable ??= {
      ...full,
      input: readableInput(full.input, call.terms, this.#limit),
      // Effects may repeat what is hidden.
      ...(hides && previewFacts(null)),
    };
    return known.readable;
  }
}
