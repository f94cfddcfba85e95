/** Most bytes of JSON that one call's arguments may have: 16 MiB. */
const maxInputBytes = 16 * 1024 * 1024;
/** Most levels of nesting in one call's arguments. */
export const maxInputDepth = 1000;

export type ToolInputCheck = { ok: true; json: string } | { ok: false; problem: string };

/**
 * The arguments as JSON text, or why they cannot be kept. Measured without recursion, since a hostile depth
 * would overflow the stack in every function that walks the value afterwards.
 */
export function toolInputJson(input: unknown): ToolInputCheck {
  if (!isPlainObject(input)) {
    return { ok: false, problem: "the arguments must be a JSON object" };
  }
  if (depthOf(input) > maxInputDepth) {
    return { ok: false, problem: `the arguments are nested more than ${maxInputDepth} levels deep` };
  }
  const json = JSON.stringify(input);
  // JSON.stringify writes half of a surrogate pair as an escape, and only such a half; RFC 8785 has no form for it.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(json)) {
    return {
      ok: false,
      problem: "the arguments hold text that is not valid Unicode (half a surrogate pair)",
    };
  }
  const bytes = Buffer.byteLength(json);
  if (bytes > maxInputBytes) {
    return { ok: false, problem: `the arguments take ${bytes} bytes; at most ${maxInputBytes} are accepted` };
  }
  return { ok: true, json };
}

/** True for what JSON calls an object. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Levels of nesting, counted up to just over what is accepted. */
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
