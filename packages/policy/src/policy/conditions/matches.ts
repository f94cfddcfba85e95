import type { ASTNode } from "@marcbachmann/cel-js";
import { LinearPattern, PatternProblem } from "../../bounded/linear-pattern.js";
import type { Meter } from "../../bounded/work-limit.js";
import { ConditionError, type Place } from "./condition-error.js";
import { type Expression, nodesWith, type Surroundings } from "./expression.js";
import { kindOf } from "./values.js";

/**
 * `text.matches("pattern")` with RE2 syntax, as in CEL. The pattern must be a literal in the condition, never a value
 * of the call.
 */
export function compileMatches(
  text: Expression,
  pattern: ASTNode,
  { meter }: Surroundings,
  at: Place,
): Expression {
  if (pattern.op !== "value" || typeof pattern.args !== "string") {
    throw new ConditionError("pattern", at, "matches() requires a literal pattern");
  }
  const compiled = linearPattern(pattern.args, meter, at);
  return {
    run(scope) {
      const value = text.run(scope);
      if (kindOf(value, at) !== "text") throw new ConditionError("kind", at);
      return compiled.test(value as string, scope.meter);
    },
    kind: "true or false",
    nodes: nodesWith(text),
  };
}

function linearPattern(source: string, meter: Meter, at: Place): LinearPattern {
  try {
    return new LinearPattern(source, meter);
  } catch (error) {
    if (error instanceof PatternProblem) throw new ConditionError("pattern", at, error.message);
    throw error;
  }
}
