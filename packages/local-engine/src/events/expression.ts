import { Environment } from "@marcbachmann/cel-js";

/** What an expression is evaluated over: the event that triggered the run, and the one that has arrived. */
export interface ExpressionScope {
  event?: unknown;
  async?: unknown;
}

type Compiled = (scope: Record<string, unknown>) => unknown;

const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });
const cache = new Map<string, Compiled>();
const CACHE_SIZE = 5_000;

/** Reads a CEL expression. Throws, with the place, when it is none. */
export function compileExpression(expression: string): Compiled {
  const known = cache.get(expression);
  if (known) return known;
  let compiled: Compiled;
  try {
    compiled = environment.parse(expression) as unknown as Compiled;
  } catch (error) {
    throw new Error(
      `Invalid expression ${JSON.stringify(expression)}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  // Expressions carry literal ids, so there are as many of them as waits.
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(expression, compiled);
  return compiled;
}

/** The value of an expression; undefined when it cannot be evaluated, for instance over a field that is missing. */
export function evaluateExpression(expression: string, scope: ExpressionScope): unknown {
  try {
    return compileExpression(expression)({ ...scope });
  } catch {
    return undefined;
  }
}

/** Whether an expression holds. No expression holds always. */
export function matchesExpression(expression: string | null | undefined, scope: ExpressionScope): boolean {
  return !expression || evaluateExpression(expression, scope) === true;
}
