/**
 * Says what failed, for a log. Of a database error only its cause is told: Drizzle puts the parameters of a query,
 * which are people's data, into its own message.
 */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message.startsWith("Failed query")) {
    return error.cause instanceof Error ? `database error: ${error.cause.message}` : "database error";
  }
  return error.message;
}
