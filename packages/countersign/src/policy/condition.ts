import { Environment } from "@marcbachmann/cel-js";
import type { PolicyCall } from "./policy.js";

/** A condition that may throw: on a missing field, on a value of another type. */
export type Condition = (call: PolicyCall) => boolean;

/** What conditions can speak of. An unknown name is found when the policy loads. */
const environment = new Environment({ unlistedVariablesAreDyn: false })
  .registerVariable("input", "dyn")
  .registerVariable("principal", "dyn")
  .registerVariable("thread", "dyn")
  .registerVariable("tool", "dyn");

/**
 * CEL calls values of different types unequal, so `input.env == "prod"` would be false, and no doubt at all, for
 * `["prod"]`. Comparing them is an error here; only `null` may be compared with everything.
 */
const comparable = [["string"], ["bool"], ["int", "double"], ["list"], ["map"]];
for (const [index, types] of comparable.entries()) {
  for (const left of types) {
    for (const right of comparable.slice(index + 1).flat()) {
      environment.registerOperator(`${left} == ${right}: bool`, () => {
        throw new TypeError(`a ${left} cannot be compared with a ${right}`);
      });
    }
  }
}

/**
 * Compiles a CEL condition.
 * @throws Error whose message says what is wrong with the text, and where.
 */
export function compileCondition(text: string): Condition {
  const parsed = environment.parse(text);
  const checked = parsed.check();
  if (!checked.valid) throw checked.error ?? new Error("the condition does not fit together");
  return (call) => {
    const holds: unknown = parsed({
      input: call.input ?? null,
      principal: call.principal ?? null,
      thread: call.thread ?? null,
      tool: { name: call.toolName },
    });
    if (typeof holds !== "boolean") throw new TypeError("the condition is not true or false");
    return holds;
  };
}
