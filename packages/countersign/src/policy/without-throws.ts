import { nameOfThrown } from "../name-of-thrown.js";
import type { Evaluation, Policy, PolicyCall } from "./policy.js";
import { mergeTerms } from "./terms.js";

const reason = "The policy failed to judge this call, so it may not run";

/** The policy, whoever wrote it, with its faults turned into refusals. */
export function withoutThrows(policy: Policy): Policy {
  const guarded = <T extends Evaluation>(
    { toolName }: PolicyCall,
    judge: () => T,
    refusal: (evaluation: Evaluation) => T,
  ): T => {
    try {
      return judge();
    } catch (error) {
      const what = `threw (${nameOfThrown(error)}) when it judged a call of ${toolName}`;
      console.error(`Countersign: the policy ${what}, so the call is denied`);
      return refusal({
        kind: "deny",
        terms: mergeTerms("deny", [{ reason }], { binding: [], redacting: [] }),
      });
    }
  };
  return new Proxy(policy, {
    get(target, name) {
      if (name === "evaluate") {
        const evaluate: Policy["evaluate"] = (call) =>
          guarded(
            call,
            () => target.evaluate(call),
            (evaluation) => evaluation,
          );
        return evaluate;
      }
      if (name === "explain") {
        const explain: Policy["explain"] = (call) =>
          guarded(
            call,
            () => target.explain(call),
            (evaluation) => ({ ...evaluation, policyVersion: target.version, matched: [] }),
          );
        return explain;
      }
      return Reflect.get(target, name);
    },
  });
}
