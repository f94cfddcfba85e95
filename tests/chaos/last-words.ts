const words = "died at the crash point ";

/** What a process says just before it dies at a named point. */
export const lastWordsAt = (point: string) => `${words}${point}\n`;

/** The point at which a process died, by its last words. */
export function diedAt(output: string): string | undefined {
  const [, said] = output.split(words);
  return said?.split("\n")[0];
}
