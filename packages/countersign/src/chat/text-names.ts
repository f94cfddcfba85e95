import { derivedId } from "../shared/canonical-hash.js";

/**
 * Names each text of a turn by its content and by how many equal texts come before it. Its position would not do: while
 * one response waits for a person, another agent's may take its place.
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
