import { demandedText } from "./expression.js";

/** Maximum length of a demanded text. Longer ones do not fit into the index. */
const MAX_LENGTH = 200;
/** Maximum number of texts of an event. Data with more is compared with all waits. */
const MAX_TEXTS = 100;

/** The stored demand of a wait with this expression. */
export function storedDemand(expression: string | null | undefined): string | null {
  const text = expression ? demandedText(expression) : undefined;
  return text !== undefined && isStored(text) ? text : null;
}

/** All texts of an event's data that a wait could demand; undefined if there are too many. */
export function textsOf(data: unknown): string[] | undefined {
  const texts = new Set<string>();
  const left = [data];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") {
      if (isStored(value)) texts.add(value);
      if (texts.size > MAX_TEXTS) return undefined;
    } else if (typeof value === "object" && value !== null) {
      for (const inner of Object.values(value)) left.push(inner);
    }
  }
  return [...texts];
}

/** Whether a text can be stored and indexed. Postgres cannot store NUL. */
function isStored(text: string): boolean {
  return text.length <= MAX_LENGTH && !text.includes("\u0000");
}
