import { derivedId } from "../shared/canonical-hash.js";

/**
 * Names the texts of a turn by what they say and how often it was said before. A place would not do: while one response
 * waits for a person, another agent's may come before it.
 */
export function textNames(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    // Beside a waiting call, a text is kept without the blanks around it.
    const words = text.trim();
    const count = counts.get(words) ?? 0;
    counts.set(words, count + 1);
    return derivedId("text", words, count);
  };
}
