import { createLocalEngine } from "@countersign/local-engine";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { principals } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

/** The prepared statements of a client's only connection. */
async function preparedOn(client: postgres.Sql): Promise<string[]> {
  const rows = await client.unsafe<{ statement: string }[]>("select statement from pg_prepared_statements");
  return rows.map(({ statement }) => statement);
}

describe("the prepared statements of a Postgres connection", () => {
  it("include a query of the store once, however often it runs", async () => {
    await using database = await freshPostgres();
    await using client = closing(postgres(database.url, { max: 1, onnotice: () => {} }));
    const store = postgresStore({ client });
    await store.migrate();
    const [call] = await proposeCall(store);
    if (!call) throw new Error("unreachable");
    for (let n = 0; n < 3; n++) await store.getApproval("acme", call.id);
    const reads = (await preparedOn(client)).filter((text) =>
      /^select .* from "countersign"."approvals" where .*"id" = \$1 and .*"tenant_id" = \$2/.test(text),
    );
    expect(reads).toHaveLength(1);
  });

  it("are the same after the store's operations are repeated, each once", async () => {
    await using database = await freshPostgres();
    await using client = closing(postgres(database.url, { max: 1, onnotice: () => {} }));
    const store = postgresStore({ client });
    await store.migrate();
    const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };
    const decideOne = async () => {
      const [call] = await proposeCall(store);
      if (!call) throw new Error("unreachable");
      const { id: approvalId, digest } = call;
      await store.decide({ approvalId, digest, principal: finance, type: "approve", reason: null });
      await store.claim(approvalId, "once", () => undefined);
      await store.finish(approvalId, { status: "executed", outcomeJson: "{}" });
      await store.listApprovals({ tenantId: "acme", limit: 10 });
      await store.auditTrail("acme", approvalId);
      await store.sweep();
    };
    // The first two calls may find other rows than the later ones: an empty log, no earlier call.
    for (let n = 0; n < 2; n++) await decideOne();
    const before = await preparedOn(client);
    for (let n = 0; n < 3; n++) await decideOne();
    expect(before.length).toBeGreaterThan(20);
    expect((await preparedOn(client)).toSorted()).toEqual(before.toSorted());
    expect(new Set(before).size).toBe(before.length);
  });

  it("include those of the local engine", async () => {
    await using database = await freshPostgres();
    await using client = closing(postgres(database.url, { max: 1, onnotice: () => {} }));
    const engine = await createLocalEngine({ database: { postgres: client } });
    await engine.fetch(`${engine.baseUrl}/v1/runs/none`);
    expect(await preparedOn(client)).toContainEqual(expect.stringContaining('from "local_engine"."run"'));
  });

  it("exclude inserts of long lists, of which every length would be another statement", async () => {
    await using database = await freshPostgres();
    await using client = closing(postgres(database.url, { max: 1, onnotice: () => {} }));
    const store = postgresStore({ client });
    await store.migrate();
    await proposeCall(store, { calls: 40 });
    const texts = await preparedOn(client);
    expect(texts.filter((text) => text.startsWith('insert into "countersign"."approvals"'))).toHaveLength(1);
    expect(texts.filter((text) => text.startsWith('insert into "countersign"."audit_entries"'))).toEqual([]);
  });

  it("are none if the client is set not to prepare any, as behind some poolers", async () => {
    await using database = await freshPostgres();
    await using client = closing(postgres(database.url, { max: 1, prepare: false, onnotice: () => {} }));
    const store = postgresStore({ client });
    await store.migrate();
    const [call] = await proposeCall(store);
    expect((await store.getApproval("acme", call?.id ?? ""))?.id).toBe(call?.id);
    expect(await preparedOn(client)).toEqual([]);
  });
});

describe("a transaction", () => {
  it("is read committed even if the database's default is repeatable read", async () => {
    await using database = await freshPostgres();
    await database.postgres.unsafe(
      `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_isolation = 'repeatable read'`,
    );
    await using client = closing(postgres(database.url, { max: 8, onnotice: () => {} }));
    const store = postgresStore({ client });
    await store.migrate();
    const [level] = await client`show transaction_isolation`;
    expect(level).toEqual({ transaction_isolation: "repeatable read" });
    const calls = (
      await Promise.all(Array.from({ length: 4 }, () => proposeCall(store, { calls: 4 })))
    ).flat();
    const decided = await Promise.all(
      calls.map(({ id, digest }) =>
        store.decide({
          approvalId: id,
          digest,
          principal: principals.finance as never,
          type: "approve",
          reason: null,
        }),
      ),
    );
    expect(decided.map(({ outcome }) => outcome)).toEqual(calls.map(() => "decided"));
    expect(decided.filter((result) => "wakeUp" in result && result.wakeUp)).toHaveLength(4);
  });

  it("leaves nothing of its concurrent statements behind if one of them fails", async () => {
    await using database = await freshPostgres();
    const signer = {
      keyId: "key",
      ttlMs: 1000,
      sign: async () => "token",
      read: async () => ({ ok: false as const, field: "token" as const }),
      knows: () => false,
      remote: false,
    };
    await using client = closing(postgres(database.url, { max: 1, onnotice: () => {} }));
    const store = postgresStore({ client });
    await store.migrate();
    const [call] = await proposeCall(store);
    if (!call) throw new Error("unreachable");
    await database.admin`alter table countersign.outbox add constraint full_up check (attempts < 0)`;
    const failing = store.decide(
      {
        approvalId: call.id,
        digest: call.digest,
        principal: principals.finance as never,
        type: "approve",
        reason: null,
      },
      signer,
    );
    await expect(failing).rejects.toMatchObject({ code: "database_failed", detail: { sqlState: "23514" } });
    expect((await store.getApproval("acme", call.id))?.status).toBe("pending");
    expect([...(await database.admin`select id from countersign.evidence`)]).toEqual([]);
  });
});

function closing(client: postgres.Sql): postgres.Sql & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end({ timeout: 1 }) });
}
