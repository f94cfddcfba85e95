import { type ASTNode, Environment } from "@marcbachmann/cel-js";

/** The variables of an expression: the event that triggered the run, and the event that has arrived. */
export interface ExpressionScope {
  event?: unknown;
  async?: unknown;
}

type Compiled = ReturnType<Environment["parse"]>;

const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });
const cache = new Map<string, Compiled>();
const CACHE_SIZE = 5_000;

/** Parses a CEL expression. Throws with the position if it is invalid. */
export function compileExpression(expression: string): Compiled {
  const known = cache.get(expression);
  if (known) return known;
  let compiled: Compiled;
  try {
    compiled = environment.parse(expression);
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

/** Whether an expression is true. A missing expression always is. */
export function matchesExpression(expression: string | null | undefined, scope: ExpressionScope): boolean {
  return !expression || evaluateExpression(expression, scope) === true;
}

/**
 * A text that the data of the awaited event must contain for the expression to be true, because the expression compares
 * a field with it. Undefined if there is none. For example, `async.data.id == "a" && async.data.n > 1` demands `"a"`.
 */
export function demandedText(expression: string): string | undefined {
  return demandOf(compileExpression(expression).ast);
}

function demandOf(node: ASTNode): string | undefined {
  if (node.op === "&&") return demandOf(node.args[0]) ?? demandOf(node.args[1]);
  if (node.op !== "==") return undefined;
  const [left, right] = node.args;
  return comparedWith(left, right) ?? comparedWith(right, left);
}

function comparedWith(field: ASTNode, literal: ASTNode): string | undefined {
  if (literal.op !== "value" || typeof literal.args !== "string") return undefined;
  return isOfAwaitedData(field) ? literal.args : undefined;
}

/** True for `async.data.a`, `async.data.a.b` and so on. */
function isOfAwaitedData(node: ASTNode): boolean {
  if (node.op !== ".") return false;
  const [of, name] = node.args;
  if (of.op === "id") return of.args === "async" && name === "data";
  return isOfAwaitedData(of);
}
