import postgres from "postgres";

/** The rows of a statement; none if the database cannot be reached just now. A statement that is wrong throws. */
export async function rowsIfReachable(
  statement: postgres.PendingQuery<postgres.Row[]>,
): Promise<postgres.Row[]> {
  try {
    return await statement;
  } catch (error) {
    // Class 42 of the codes: names that do not exist, and mistakes of grammar.
    if (error instanceof postgres.PostgresError && error.code.startsWith("42")) throw error;
    return [];
  }
}
