import type { ASTNode } from "@marcbachmann/cel-js";
import { type Count, CountProblem, countNamed } from "../counts.js";
import { ConditionError, type Place } from "./condition-error.js";
import type { Expression, Surroundings } from "./expression.js";
import { ownField } from "./values.js";

/**
 * `calls("tool", "1h")` and `spent("tool", "amount", "24h")`. Their arguments are literals, so that it is known before a call
 * is judged what to count for it.
 */
export function compileCount(
  name: "calls" | "spent",
  args: readonly ASTNode[],
  { counts }: Surroundings,
  at: Place,
): Expression {
  const count = countOf(name, args, at);
  if (!counts.has(count.text)) counts.set(count.text, count);
  return {
    run({ variables: { counted } }) {
      const number = typeof counted === "object" && counted !== null && ownField(counted, count.text);
      // Unknown numbers cannot be compared at all, so that nothing said of them is true by accident.
      if (typeof number === "number") return number;
      throw new ConditionError("missing", at, `it is not known what ${count.text} counted for this call`);
    },
    kind: "number",
    count,
    nodes: args.length,
  };
}

const forms = {
  calls: {
    least: 2,
    form: 'calls(tool, window) or calls(tool, window, per), such as calls("issue_refund", "1h")',
  },
  spent: {
    least: 3,
    form: 'spent(tool, amount, window) or spent(tool, amount, window, per), such as spent("issue_refund", "amount", "24h")',
  },
};

function countOf(name: "calls" | "spent", args: readonly ASTNode[], at: Place): Count {
  const { least, form } = forms[name];
  const texts = args.flatMap(({ op, args: value }) =>
    op === "value" && typeof value === "string" ? [value] : [],
  );
  if (texts.length !== args.length || args.length < least || args.length > least + 1) {
    throw new ConditionError("function", at, `write ${form}, with texts in quotes`);
  }
  try {
    return countNamed(name, texts);
  } catch (error) {
    if (error instanceof CountProblem) throw new ConditionError("value", at, error.message);
    throw error;
  }
}

/** Remembers the number that a count is compared with, so that people can read what it may reach. */
export function noteLimit(left: Expression, right: Expression, { counts }: Surroundings): void {
  for (const [{ count }, { literal }] of [
    [left, right],
    [right, left],
  ] as const) {
    if (!count || (typeof literal !== "number" && typeof literal !== "bigint")) continue;
    const known = counts.get(count.text) ?? count;
    const limit = Math.min(Number(literal), known.limit ?? Number.POSITIVE_INFINITY);
    counts.set(count.text, { ...known, limit });
  }
}
