/**
 * Describes a failure for a log. For a database error, only the cause is used: Drizzle's own message contains the
 * parameters of the query, which are people's data.
 */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message.startsWith("Failed query")) {
    return error.cause instanceof Error ? `database error: ${error.cause.message}` : "database error";
  }
  return error.message;
}
