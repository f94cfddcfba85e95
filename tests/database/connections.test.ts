import { createLocalEngine } from "@countersign/local-engine";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { principals } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

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
    const decideOne = async () => {
      const [call] = await proposeCall(store);
      if (!call) throw new Error("unreachable");
      const { id: approvalId } = call;
      await approve(store, call);
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
    expect(before.length).toBeGreaterThan(10);
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
    expect(texts.filter((text) => text.includes("countersign.apply_changes"))).toHaveLength(1);
    expect(texts.filter((text) => text.startsWith('insert into "countersign"'))).toEqual([]);
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
  it.each(["repeatable read", "serializable"])(
    "is read committed even if the database's default is %s",
    async (level) => {
      await using database = await freshPostgres();
      await database.postgres.unsafe(
        `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_isolation = '${level}'`,
      );
      await using client = closing(postgres(database.url, { max: 8, onnotice: () => {} }));
      const store = postgresStore({ client });
      await store.migrate();
      expect(await client`show transaction_isolation`).toEqual([{ transaction_isolation: level }]);
      const requests = await Promise.all(Array.from({ length: 4 }, () => proposeCall(store, { calls: 4 })));
      const calls = requests.flat();
      const decided = await Promise.all(calls.map((call) => approve(store, call)));
      expect(decided.map(({ outcome }) => outcome)).toEqual(calls.map(() => "decided"));
      expect(decided.filter((result) => "wakeUp" in result && result.wakeUp)).toHaveLength(4);
      const settled = await Promise.all(calls.map(({ requestId }) => store.settle(requestId, 0)));
      expect(settled.map((settlement) => settlement.settled)).toEqual(calls.map(() => true));
      for (const call of calls) {
        // The log of a tenant is one row, which all claims change.
        const claims = await Promise.all(
          ["one", "other"].map((run) => store.claim(call.id, "once", () => undefined, undefined, run)),
        );
        expect(claims.map(({ outcome }) => outcome).toSorted()).toEqual(["claimed", "started_elsewhere"]);
      }
      const ends = await Promise.all(
        calls.map(({ id }) => store.finish(id, { status: "executed", outcomeJson: "{}" })),
      );
      expect(ends.map((call) => call?.status)).toEqual(calls.map(() => "executed"));
    },
  );

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

/** An approved call and one that has started, and a store that does not wait for long. */
async function openCalls() {
  const database = await freshPostgres();
  const client = postgres(database.url, { max: 2, onnotice: () => {} });
  const patient = postgresStore({ client: database.postgres });
  const [approved, started] = await proposeCall(patient, { calls: 2 });
  if (!approved || !started) throw new Error("unreachable");
  for (const call of [approved, started]) await approve(patient, call);
  const claimed = await patient.claim(started.id, "once", () => undefined);
  if (claimed.outcome !== "claimed") throw new Error("unreachable");
  const store = postgresStore({ client, waitTimeoutMs: 1_000 });
  return {
    ...{ admin: database.admin, approved, client, store },
    claim: () => store.claim(approved.id, "once", () => undefined),
    finish: () => store.finish(started.id, { status: "executed", outcomeJson: "{}" }, claimed.approval),
    statuses: async () => (await patient.approvalsOf(approved.requestId)).map(({ status }) => status),
    async [Symbol.asyncDispose]() {
      await client.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("the start and the end of a call", () => {
  it.each(["the first", "later"])(
    "fail as %s statements of a client if no connection is free, and do nothing afterwards",
    async (which) => {
      await using calls = await openCalls();
      if (which === "later") await calls.store.getApproval("acme", calls.approved.id);
      let giveBack = () => {};
      const until = new Promise<void>((resolve) => {
        giveBack = resolve;
      });
      let taken = 0;
      const takers = [1, 2].map(() =>
        calls.client.begin(async (tx) => {
          await tx`select 1`;
          taken++;
          await until;
        }),
      );
      await expect.poll(() => taken).toBe(2);
      const unavailable = {
        code: "database_failed",
        message: expect.stringContaining("No database connection was available"),
      };
      await Promise.all([
        expect(calls.claim()).rejects.toMatchObject(unavailable),
        expect(calls.finish()).rejects.toMatchObject(unavailable),
      ]);
      giveBack();
      await Promise.all(takers);
      // Time for what still waits for a connection.
      for (let n = 0; n < 4; n++) await calls.client`select 1`;
      expect(await calls.statuses()).toEqual(["approved", "executing"]);
      expect(await calls.claim()).toMatchObject({ outcome: "claimed" });
      expect(await calls.finish()).toMatchObject({ status: "executed" });
    },
  );

  it("fail if they wait for a lock too long, and do nothing afterwards", async () => {
    await using calls = await openCalls();
    await calls.admin.begin(async (tx) => {
      await tx`select 1 from countersign.approvals for update`;
      const locked = { code: "database_failed", detail: { sqlState: "55P03" } };
      await Promise.all([
        expect(calls.claim()).rejects.toMatchObject(locked),
        expect(calls.finish()).rejects.toMatchObject(locked),
      ]);
    });
    expect(await calls.statuses()).toEqual(["approved", "executing"]);
    expect(await calls.claim()).toMatchObject({ outcome: "claimed" });
    expect(await calls.finish()).toMatchObject({ status: "executed" });
  });
});

function approve(store: Store, { id: approvalId, digest }: { id: string; digest: string }) {
  const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
  return store.decide({ approvalId, digest, principal, type: "approve", reason: null });
}

function closing(client: postgres.Sql): postgres.Sql & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end({ timeout: 1 }) });
}
