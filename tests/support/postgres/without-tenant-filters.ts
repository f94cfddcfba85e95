import type postgres from "postgres";

/**
 * A client whose transactions have forgotten every tenant filter: each comparison of a tenant with a parameter is
 * taken out of the statements, so that only the database's own policies are left.
 */
export function withoutTenantFilters(client: postgres.Sql): postgres.Sql {
  const begin = (options: string, work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
    client.begin(options, (tx) => work(instead(tx, "unsafe", unfiltered(tx))));
  return instead(client, "begin", begin);
}

function unfiltered(tx: postgres.TransactionSql) {
  return (text: string, ...rest: unknown[]): unknown =>
    // The parameter stays, since a statement must use each that it is given.
    Reflect.apply(tx.unsafe, tx, [
      text.replaceAll(/"tenant_id" = (\$\d+)/g, `"tenant_id" is not null and $1::text is not null`),
      ...rest,
    ]);
}

function instead<T extends object>(target: T, name: string, value: unknown): T {
  return new Proxy(target, { get: (all, key) => (key === name ? value : Reflect.get(all, key)) });
}
