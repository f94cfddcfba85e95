import type postgres from "postgres";
import { type LastingClient, lastingClient } from "./lost-connections.js";

/**
 * Maximum parameters of a statement that is worth preparing. Longer ones are lists, whose every length is another
 * statement.
 */
const maxParameters = 100;

/**
 * The same client, whose connections keep the statements that Drizzle makes, and which survives the loss of its
 * connections. Drizzle has each statement parsed and planned again, which costs another round trip. A client with
 * `prepare: false` still prepares nothing.
 */
export function engineClient(client: postgres.Sql): Pick<LastingClient, "sql" | "close"> {
  const { sql, close } = lastingClient(client, { owned: false });
  const begin = (work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
    sql.begin((tx) => work(preparing(tx)));
  const engine = new Proxy(preparing(sql), {
    get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)),
  });
  return { sql: engine, close };
}

function preparing<Client extends postgres.Sql | postgres.TransactionSql>(client: Client): Client {
  const unsafe: Client["unsafe"] = (query, parameters, options) =>
    client.unsafe(query, parameters, { ...options, prepare: (parameters?.length ?? 0) <= maxParameters });
  return new Proxy(client, {
    get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)),
  });
}
