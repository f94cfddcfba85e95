import { bytesOf, sizeText } from "../shared/byte-size.js";
import { cutText, engineJson, engineText } from "../shared/engine-text.js";
import { isPlainObject } from "../shared/plain-object.js";

/** Default maximum size of a call's arguments, in bytes of JSON: 1 MiB. */
export const defaultArgumentBytes = 1024 * 1024;
/** Maximum nesting depth of a call's arguments. */
export const maxInputDepth = 1000;
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
  if (depthOf(input) > maxInputDepth) {
    return { ok: false, problem: `the arguments are nested deeper than ${maxInputDepth} levels` };
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

/** Nesting depth, counted up to one level over the maximum. */
export function depthOf(value: unknown): number {
  let deepest = 0;
  const open: [unknown, number][] = [[value, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [item, depth] = next;
    if (typeof item !== "object" || item === null) continue;
    deepest = Math.max(deepest, depth);
    if (deepest > maxInputDepth) break;
    for (const child of Object.values(item)) open.push([child, depth + 1]);
  }
  return deepest;
}
