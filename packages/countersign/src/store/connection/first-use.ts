import { CountersignError } from "@countersign/policy/internal/shared/errors";
import postgres from "postgres";
import { sameClient } from "./lost-connections.js";
import { shadowsOwnTables, warnOfSearchPath } from "./search-path.js";
import { poolerAdvice } from "./sql-states.js";

/** A statement without parameters, which any pooler carries. */
const firstQuestion = `select pg_backend_pid() as pid, ${shadowsOwnTables} as shadows`;

/** Milliseconds for the two connections that try a pooler. */
const maxTrialMs = 5_000;
const maxTrials = 5;

/**
 * Checks, before a client's first transaction, what would otherwise fail later and elsewhere: a pooler that loses
 * prepared statements, and a search path that hides the app's own tables. A client that is connected directly pays one
 * short query.
 *
 * @throws CountersignError `database_failed` about the pooler. All other errors are the driver's.
 */
export function firstUseCheck(client: postgres.Sql): () => Promise<void> {
  let checked = false;
  return async () => {
    if (checked) return;
    const rows = await client.unsafe<{ pid: number; shadows: boolean }[]>(firstQuestion);
    const [row] = rows;
    if (checked || !row) return;
    // A pooler makes up the process id that it tells when a connection opens.
    const isPooled = row.pid !== rows.state.pid;
    if (isPooled && client.options.prepare !== false && (await losesStatements(client))) {
      throw new CountersignError("database_failed", poolerAdvice);
    }
    checked = true;
    if (row.shadows) warnOfSearchPath();
  };
}

/**
 * Whether a statement that one transaction has prepared is unknown to the next one of the same client. To see this, the
 * second must use another connection of the server, so a second client occupies the one that the first gave back.
 */
async function losesStatements(client: postgres.Sql): Promise<boolean> {
  const [one, other] = [sameClient(client, { max: 1 }), sameClient(client, { max: 1 })];
  let timer: NodeJS.Timeout | undefined;
  // No answer may also mean that the pooler has no second connection to the server.
  const tooLong = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, maxTrialMs, false);
  });
  try {
    // A pooler that refuses further connections has not lost anything.
    return await Promise.race([tryChannel(one, other).catch(() => false), tooLong]);
  } finally {
    clearTimeout(timer);
    await Promise.all([one.end({ timeout: 0 }), other.end({ timeout: 0 })]);
  }
}

async function tryChannel(one: postgres.Sql, other: postgres.Sql): Promise<boolean> {
  for (let trial = 0; trial < maxTrials; trial++) {
    const first = await prepared(one);
    const second = await other.begin(async (tx) => {
      await tx.unsafe("select 1");
      return prepared(one);
    });
    if (first.sqlState === "26000" || second.sqlState === "26000") return true;
    if (second.pid !== first.pid) return false;
  }
  return false;
}

/**
 * Runs a prepared statement in a transaction of its own. Returns where, or why it failed. Outside of transactions, the
 * driver prepares a lost statement again.
 */
async function prepared(client: postgres.Sql): Promise<{ pid?: number; sqlState?: string }> {
  try {
    return await client.begin(async (tx) => {
      const question = "select pg_backend_pid() as pid, $1::int";
      const [row] = await tx.unsafe<{ pid: number }[]>(question, [1], { prepare: true });
      return row ?? {};
    });
  } catch (error) {
    if (error instanceof postgres.PostgresError) return { sqlState: error.code };
    throw error;
  }
}
