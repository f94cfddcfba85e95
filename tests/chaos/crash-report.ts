const words = "died at the crash point ";

/** The text that a process prints just before it dies at a named point. */
export const lastWordsAt = (point: string) => `${words}${point}\n`;

/** The point at which a process died, taken from its output. */
export function diedAt(output: string): string | undefined {
  const [, said] = output.split(words);
  return said?.split("\n")[0];
}
