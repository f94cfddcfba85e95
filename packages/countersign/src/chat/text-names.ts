import { derivedId } from "../shared/canonical-hash.js";

/**
 * Names the texts of a turn by what they say and how often it was said before. A place would not do: while one response
 * waits for a person, another agent's may come before it.
 */
export function textNames(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    return derivedId("text", text, count);
  };
}
