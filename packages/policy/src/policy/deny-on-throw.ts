import type { Logger } from "../shared/logger.js";
import { nameOfThrown } from "../shared/name-of-thrown.js";
import type { Evaluation, Policy } from "./policy.js";
import type { PolicyCall } from "./policy-call.js";
import { mergeTerms } from "./rules/merge-terms.js";

const reason = "The policy failed to evaluate this call, so it is denied";

/**
 * Wraps a policy so that a call is denied if the policy throws. If only `readsEffects` throws, the policy counts as reading
 * the effects of every call.
 */
export function withoutThrows(policy: Policy, logger: Logger): Policy {
  const guarded = <T extends Evaluation>(
    { toolName }: PolicyCall,
    judge: () => T,
    refusal: (evaluation: Evaluation) => T,
  ): T => {
    try {
      return judge();
    } catch (error) {
      const what = `threw (${nameOfThrown(error)}) while evaluating a call of ${toolName}`;
      logger.error(`The policy ${what}, so the call is denied`, { toolName });
      return refusal({
        kind: "deny",
        terms: mergeTerms("deny", [{ reason }]),
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
      if (name === "readsEffects" && target.readsEffects) {
        const readsEffects: Policy["readsEffects"] = (tool, threadRules) => {
          try {
            return target.readsEffects?.(tool, threadRules) ?? true;
          } catch (error) {
            const { toolName } = tool;
            const what = `threw (${nameOfThrown(error)}) while it was asked whether it reads the effects of ${toolName}`;
            logger.error(`The policy ${what}, so it counts as reading them`, { toolName });
            return true;
          }
        };
        return readsEffects;
      }
      if (name === "at" && target.at) {
        const at: Policy["at"] = (version) => {
          const found = target.at?.(version);
          return found && withoutThrows(found, logger);
        };
        return at;
      }
      return Reflect.get(target, name);
    },
  });
}
