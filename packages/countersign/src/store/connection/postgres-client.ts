import type postgres from "postgres";
import { firstUseCheck } from "./first-use.js";
import { type LastingClient, lastingClient } from "./lost-connections.js";

/**
 * Maximum parameters of a statement that is worth preparing: longer ones are lists, whose every length is another
 * statement.
 */
const maxParameters = 100;

/**
 * The same client, with connections that keep Drizzle's prepared statements, begin transactions read committed, and
 * survive their loss. Drizzle has each statement parsed and planned again, which also costs another round trip. A
 * client with `prepare: false` still prepares nothing.
 */
export function storeClient(client: postgres.Sql, owned: boolean): LastingClient {
  const { sql, close } = lastingClient(client, owned, "isolation level read committed");
  const check = firstUseCheck(sql);
  const begin = async (work: (tx: postgres.TransactionSql) => Promise<unknown>) => {
    await check();
    return sql.begin((tx) => work(preparing(tx)));
  };
  const store = new Proxy(preparing(sql), {
    get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)),
  });
  return { sql: store, close };
}

function preparing<Client extends postgres.Sql | postgres.TransactionSql>(client: Client): Client {
  const unsafe: Client["unsafe"] = (query, parameters, options) =>
    client.unsafe(query, parameters, { ...options, prepare: (parameters?.length ?? 0) <= maxParameters });
  return new Proxy(client, {
    get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)),
  });
}
