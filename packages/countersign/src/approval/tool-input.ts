import { bytesOf, sizeText } from "@countersign/policy/internal/shared/byte-size";
import { cutText, engineJson, engineText } from "@countersign/policy/internal/shared/engine-text";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";

/** Default maximum size of a call's arguments, in bytes of JSON: 1 MiB. */
export const defaultArgumentBytes = 1024 * 1024;
/** Maximum nesting depth of a call's arguments. */
const maxInputDepth = 1000;
/** Maximum number of values in a call's arguments. Each costs time whenever people look at the call. */
const maxInputValues = 10_000;
/** Maximum length of a field name in an error message, in characters. */
const maxNameLength = 100;

export type ToolInputCheck = { ok: true; json: string } | { ok: false; problem: string };

/**
 * Returns the arguments as JSON text, or why they cannot be stored. `maxBytes` is below Inngest's limit for a step's
 * output, because the arguments are part of several outputs. The depth is measured without recursion, since hostile
 * nesting would overflow the stack of every recursive function.
 */
export function toolInputJson(input: unknown, maxBytes = defaultArgumentBytes): ToolInputCheck {
  if (!isPlainObject(input)) {
    return { ok: false, problem: "the arguments must be a JSON object" };
  }
  const problem = shapeProblem(input);
  if (problem) {
    const advice = "store the content elsewhere and pass a reference to it";
    return { ok: false, problem: `the arguments are too complex (${problem}); ${advice}` };
  }
  const json = JSON.stringify(input);
  const bytes = bytesOf(json);
  if (bytes > maxBytes) {
    const advice = `shorten ${largestField(input)}, or store the content elsewhere and pass a reference to it`;
    return {
      ok: false,
      problem: `the arguments take ${sizeText(bytes)} of JSON, more than the maximum of ${sizeText(maxBytes)}; ${advice}`,
    };
  }
  if (engineJson(json) !== json) {
    return {
      ok: false,
      problem: "the arguments contain text that is not valid Unicode (an unpaired surrogate)",
    };
  }
  return { ok: true, json };
}

/** Name and size of the largest field. */
function largestField(input: Record<string, unknown>): string {
  const sizes = Object.entries(input).map(([name, value]) => ({
    name: engineText(name.length > maxNameLength ? `${cutText(name, maxNameLength)}…` : name),
    bytes: bytesOf(JSON.stringify(value) ?? ""),
  }));
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  return largest ? `"${largest.name}" (${sizeText(largest.bytes)})` : "them";
}

/** Why a JSON value is too complex, if it is. Reads no further than the limits. */
export function shapeProblem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  let values = 0;
  const open: [object, number][] = [[value, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [item, depth] = next;
    if (depth > maxInputDepth) return `nested deeper than ${maxInputDepth} levels`;
    for (const key in item) {
      values += 1;
      if (values > maxInputValues) {
        return `more than ${maxInputValues.toLocaleString("en")} values`;
      }
      const child: unknown = Reflect.get(item, key);
      if (typeof child === "object" && child !== null) open.push([child, depth + 1]);
    }
  }
  return undefined;
}
