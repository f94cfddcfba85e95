import { expect, it } from "vitest";
import { emptyPostgres } from "../support/databases.js";
import { transactionPooler } from "../support/postgres/transaction-pooler.js";
import { postgresStore } from "../support/store.js";

async function openPooled() {
  const database = await emptyPostgres(2);
  const { hostname, port } = new URL(database.url);
  const pooler = await transactionPooler({ host: hostname, port: Number(port) });
  const url = new URL(database.url);
  url.port = String(pooler.port);
  return {
    url: url.href,
    database,
    [Symbol.asyncDispose]: async () => {
      await pooler[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

it("a pooler that loses prepared statements is refused by name, for every verb", async () => {
  await using pooled = await openPooled();
  const store = postgresStore({ url: pooled.url, max: 2 });
  for (const verb of [() => store.migrate(), () => store.isMigrated(), () => store.auditedTenants()]) {
    await expect(verb()).rejects.toMatchObject({
      code: "database_failed",
      message: expect.stringContaining("?prepare=false"),
    });
  }
  await store.close();
});

it("such a pooler works with ?prepare=false", async () => {
  await using pooled = await openPooled();
  const store = postgresStore({ url: `${pooled.url}?prepare=false`, max: 3 });
  await store.migrate();
  for (let n = 0; n < 3; n++)
    expect(await Promise.all([1, 2, 3].map(() => store.isMigrated()))).toEqual([true, true, true]);
  await store.close();
});
