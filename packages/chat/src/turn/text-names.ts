import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";

/**
 * Names each text of a turn by its content and by the number of equal texts before it. Its position is not stable:
 * while one response waits for a person, another agent's response may take its place.
 */
export function textNames(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    // Texts beside waiting calls are stored without surrounding blanks.
    const words = text.trim();
    const count = counts.get(words) ?? 0;
    counts.set(words, count + 1);
    return derivedId("text", words, count);
  };
}
