import { type ToolInputCheck, toolInputJson } from "../../approval/tool-input.js";

/**
 * Returns the arguments as JSON text, or why they cannot be stored. The program runs with its own copy of the
 * arguments, so people must see exactly these. JavaScript would change some numbers: it reads 1e400 as infinity and
 * rounds large integers.
 */
export function exactInputJson(input: unknown, maxBytes: number): ToolInputCheck {
  const checked = toolInputJson(input, maxBytes);
  if (!checked.ok || !hasInexactNumber(input)) return checked;
  return {
    ok: false,
    problem: `the arguments contain a number beyond ±${Number.MAX_SAFE_INTEGER}, which cannot be shown exactly; send it as a text`,
  };
}

function hasInexactNumber(input: unknown): boolean {
  const open = [input];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item === "number" && !(Math.abs(item) <= Number.MAX_SAFE_INTEGER)) return true;
    if (typeof item === "object" && item !== null) for (const child of Object.values(item)) open.push(child);
  }
  return false;
}
