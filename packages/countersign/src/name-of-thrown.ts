/** What was thrown, by its kind only, for logs: the message of somebody else's error may quote arguments or a token. */
export function nameOfThrown(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
