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
    compiled = environment.parse(withRawLiterals(expression));
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

/**
 * The same expression, in which texts stand for themselves. Inngest's server does not read escapes: `"a\\"b"` equals no
 * `a"b`, but the text with the backslash.
 */
function withRawLiterals(expression: string): string {
  return expression.replace(/(["'])(?:\\.|(?!\1)[^\\])*\1/gs, (literal) =>
    literal.replace(/\\(.)/gs, (_, next: string) => `\\\\${/["'\\]/.test(next) ? `\\${next}` : next}`),
  );
}

/** The value of an expression; undefined when it cannot be evaluated, for instance over a field of `null`. */
export function evaluateExpression(expression: string, scope: ExpressionScope): unknown {
  try {
    return compileExpression(expression)({ event: withNulls(scope.event), async: withNulls(scope.async) });
  } catch {
    return undefined;
  }
}

/** The same data, in which each missing field is `null`, as for Inngest's server. */
function withNulls(data: unknown): unknown {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return data;
  return new Proxy(data, {
    get(object, key) {
      if (Object.hasOwn(object, key)) return withNulls(Reflect.get(object, key));
      return key === "constructor" ? Object : null;
    },
    getOwnPropertyDescriptor: (object, key) =>
      Reflect.getOwnPropertyDescriptor(object, key) ?? { configurable: true, enumerable: true, value: null },
  });
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
