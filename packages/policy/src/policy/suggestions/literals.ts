import { textMarks } from "../../display/text-marks.js";

const maxTextLength = 200;
const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words that CEL does not accept as the name of a field. */
const reserved = new Set(
  "as break const continue else false for function if import in let loop namespace null package return true var void while".split(
    " ",
  ),
);

/** A field of a variable as an expression: `input.amount`, `input["amount due"]`. */
export function fieldText([variable = "", ...keys]: readonly string[]): string {
  const field = (key: string) =>
    plainName.test(key) && !reserved.has(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return variable + keys.map(field).join("");
}

/**
 * A JSON value as a literal of a condition. `undefined` if it has none, or one that people would misread: objects, long
 * or misleading texts, and numbers without a plain form.
 */
export function literalText(value: unknown): string | undefined {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") {
    return value.length <= maxTextLength && textMarks(value, 1).length === 0
      ? JSON.stringify(value)
      : undefined;
  }
  if (Array.isArray(value)) {
    const items = value.map(literalText);
    return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
  }
  if (typeof value !== "number" || Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
  const text = String(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? text : undefined;
}
