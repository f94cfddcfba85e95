import { demandedText } from "./expression.js";

/** A longer text is not looked for: an index holds none. */
const LONGEST = 200;
/** Data with more texts is met with all waits. */
const MOST_TEXTS = 100;

/** The stored demand of a wait with this expression. */
export function storedDemand(expression: string | null | undefined): string | null {
  const text = expression ? demandedText(expression) : undefined;
  return text !== undefined && isStored(text) ? text : null;
}

/** All texts of an event's data that a wait could demand; undefined where there are too many to look for. */
export function textsOf(data: unknown): string[] | undefined {
  const texts = new Set<string>();
  const left = [data];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") {
      if (isStored(value)) texts.add(value);
      if (texts.size > MOST_TEXTS) return undefined;
    } else if (typeof value === "object" && value !== null) {
      for (const inner of Object.values(value)) left.push(inner);
    }
  }
  return [...texts];
}

/** Postgres stores no NUL. */
function isStored(text: string): boolean {
  return text.length <= LONGEST && !text.includes("\u0000");
}
