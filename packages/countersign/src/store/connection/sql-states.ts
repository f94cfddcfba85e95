export const poolerAdvice =
  "The connection pooler does not keep prepared statements. Add ?prepare=false to the URL, or create the postgres client with prepare: false.";

/** What an operator can do about an error of the database, by its SQLSTATE. */
const advice: Readonly<Record<string, string>> = {
  "25006":
    "The database is read-only: it is a standby, or default_transaction_read_only is on. Connect to the primary, or make the database writable.",
  "26000": poolerAdvice,
  "42P05": poolerAdvice,
  "28000": "The database does not let this role in. Check the user in the URL, and the server's pg_hba.conf.",
  "28P01": "The database refuses the user name or password. Check both in the URL.",
  "3D000": "The database does not exist. Check its name in the URL, or create it.",
  "42501":
    'The role lacks a privilege. Grant its rights again as the owner of the tables: see "A role for the application" in the documentation.',
  "42P06":
    "The schema countersign exists, but not by these migrations: a version before 0.1.0 or another program made it. Rename or drop it, then migrate again.",
  "53100": "The database's disk is full. Free some space.",
  "53200": "The database is out of memory.",
  "53300":
    "The database accepts no more connections. Raise its max_connections, or lower the option max of postgresStore.",
  "55P03": "Another transaction held a lock for too long. It is safe to try again.",
  "57014": "The statement took too long. It is safe to try again.",
};

/** Says what to do about an error with this SQLSTATE; `undefined` if there is nothing particular to say. */
export function adviceOn(sqlState: string | undefined): string | undefined {
  return sqlState === undefined ? undefined : advice[sqlState];
}

/** The first code in an error and its causes: a SQLSTATE, or a driver's code such as `ECONNREFUSED`. */
export function sqlStateOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return undefined;
}
