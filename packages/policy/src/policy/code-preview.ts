import { type CallExpression, type Expression, type Options, type Program, parse, type Super } from "acorn";
import { simple } from "acorn-walk";

/** A place in a script that looks like a tool call. */
export interface ExtractedToolCall {
  toolName: string;
  /** Line and column start at 1. */
  line: number;
  column: number;
}

const maxCalls = 200;
const maxCodeLength = 1_000_000;

/**
 * Finds where a script seems to call tools of an object, such as `codemode.remove()` or `codemode["remove"]()`.
 * Information for approvers, not enforcement: aliases and computed names are missed. Returns at most 200 calls in
 * source order, and an empty list for code that cannot be parsed or is longer than 1,000,000 characters.
 *
 * @example
 * ```ts
 * import { extractToolCalls } from "@countersign/policy/code";
 *
 * export const calls = extractToolCalls('await codemode.delete_file({ path: "a.txt" })', "codemode");
 * // [{ toolName: "delete_file", line: 1, column: 7 }]
 * ```
 */
export function extractToolCalls(code: string, object: string): ExtractedToolCall[] {
  if (code.length > maxCodeLength) return [];
  const found: (ExtractedToolCall & { start: number })[] = [];
  try {
    simple(parsed(code), {
      CallExpression(call: CallExpression) {
        const toolName = calledOn(call.callee, object);
        if (toolName === undefined || !call.loc) return;
        const { line, column } = call.loc.start;
        found.push({ toolName, line, column: column + 1, start: call.start });
      },
    });
  } catch {
    // Not JavaScript, or nested too deeply for the stack.
    return [];
  }
  found.sort((a, b) => a.start - b.start);
  return found.slice(0, maxCalls).map(({ start: _, ...call }) => call);
}

function parsed(code: string): Program {
  const options: Options = {
    ecmaVersion: "latest",
    locations: true,
    allowAwaitOutsideFunction: true,
    allowReturnOutsideFunction: true,
    allowHashBang: true,
  };
  try {
    return parse(code, { ...options, sourceType: "module" });
  } catch {
    return parse(code, { ...options, sourceType: "script" });
  }
}

/** The name in `object.name` or `object["name"]`, otherwise `undefined`. */
function calledOn(callee: Expression | Super, object: string): string | undefined {
  if (callee.type === "ChainExpression") return calledOn(callee.expression, object);
  if (callee.type !== "MemberExpression") return undefined;
  if (callee.object.type !== "Identifier" || callee.object.name !== object) return undefined;
  const { property, computed } = callee;
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  if (property.type === "Literal") return typeof property.value === "string" ? property.value : undefined;
  if (property.type !== "TemplateLiteral" || property.expressions.length > 0) return undefined;
  return property.quasis[0]?.value.cooked ?? undefined;
}
