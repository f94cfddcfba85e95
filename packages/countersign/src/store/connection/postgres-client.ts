import type postgres from "postgres";
import { firstUseCheck } from "./first-use.js";
import { type LastingClient, lastingClient } from "./lost-connections.js";
import { sendingOnce } from "./lost-statements.js";
import type { Once } from "./once.js";
import { watchPool } from "./silent-connections.js";
import { timeLimits } from "./transaction-deadline.js";

/**
 * Maximum parameters of a statement that is worth preparing: longer ones are lists, whose every length is another
 * statement.
 */
const maxParameters = 100;

/** Maximum milliseconds for an answer that costs the database nothing. A busy machine takes less. */
const maxAnswerMs = 10_000;

export interface StoreClientOptions {
  /** Whether we may end the client's pool. */
  owned: boolean;
  waitTimeoutMs: number;
  /** Called when a pool is given up because its server no longer answers. */
  onSilence(): void;
}

/**
 * The same client, with connections that keep Drizzle's prepared statements, begin transactions read committed, and
 * survive their loss. Drizzle has each statement parsed and planned again, which also costs another round trip. A
 * client with `prepare: false` still prepares nothing.
 */
export function storeClient(
  client: postgres.Sql,
  { owned, waitTimeoutMs, onSilence }: StoreClientOptions,
): Omit<LastingClient, "pools"> & { once: Once } {
  // Half of the wait is left for the transactions that move to another pool.
  const beginMs = Math.min(maxAnswerMs, waitTimeoutMs / 2);
  const limits = { beginMs, statementMs: timeLimits(waitTimeoutMs).statementMs + beginMs };
  const lasting = lastingClient(client, {
    owned,
    beginOptions: "isolation level read committed",
    watch: (shared, replace) =>
      watchPool(limits, shared, (error) => {
        replace(error);
        onSilence();
      }),
  });
  const check = firstUseCheck(lasting.sql);
  const send = sendingOnce(lasting.pools);
  const once: Once = async (statement, options) => {
    await check();
    const rows = await send(statement, options);
    return rows as { result: string | null }[];
  };
  const checked = (sql: postgres.Sql) => {
    const begin = async (work: (tx: postgres.TransactionSql) => Promise<unknown>) => {
      await check();
      return sql.begin((tx) => work(preparing(tx)));
    };
    return new Proxy(preparing(sql), {
      get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)),
    });
  };
  return { sql: checked(lasting.sql), unlimited: checked(lasting.unlimited), once, close: lasting.close };
}

function preparing<Client extends postgres.Sql | postgres.TransactionSql>(client: Client): Client {
  const unsafe: Client["unsafe"] = (query, parameters, options) =>
    client.unsafe(query, parameters, { ...options, prepare: (parameters?.length ?? 0) <= maxParameters });
  return new Proxy(client, {
    get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)),
  });
}
