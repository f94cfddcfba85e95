/**
 * The type name of a thrown value, for logs. Messages of foreign errors may quote arguments or tokens, so they are
 * never logged.
 */
export function nameOfThrown(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
