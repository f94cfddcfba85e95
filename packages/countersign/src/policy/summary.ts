import { ownField } from "./own-field.js";
import { visibleText } from "./visible-text.js";

const longestValue = 120;
const longestSummary = 300;
const mostArguments = 3;

/**
 * The sentence of a rule with `{{field.path}}` filled from the call's real arguments, safe to show: nothing in it
 * is invisible or reorders text. At most 300 characters, each value at most 120. `null` where there is no template.
 */
export function renderSummary(template: string | null | undefined, input: unknown): string | null {
  if (!template) return null;
  const filled = template.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_whole, path: string) => {
    const field = ownField(input, path);
    return field.found ? shortValue(field.value) : "(missing)";
  });
  return visibleText(filled, longestSummary);
}

/** A sentence for a call whose rules have no template: the tool and its most telling arguments, scalars first. */
export function defaultSummary(toolName: string, input: unknown): string {
  const name = visibleText(toolName, longestValue);
  const entries = typeof input === "object" && input !== null ? Object.entries(input) : [];
  if (entries.length === 0) return `${name} without arguments`;
  const ordered = [
    ...entries.filter(([, value]) => isScalar(value)),
    ...entries.filter(([, value]) => !isScalar(value)),
  ];
  const told = ordered.slice(0, mostArguments).map(([key, value]) => {
    const text = typeof value === "string" ? `"${shortValue(value)}"` : shortValue(value);
    return `${visibleText(key, longestValue)}: ${text}`;
  });
  const left = ordered.length - told.length;
  const sentence = `${name} with ${told.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
  return visibleText(sentence, longestSummary);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function shortValue(value: unknown): string {
  return visibleText(typeof value === "string" ? value : asJson(value), longestValue);
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "(missing)";
  } catch {
    return "(unreadable)";
  }
}
