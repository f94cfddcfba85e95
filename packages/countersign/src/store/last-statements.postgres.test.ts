import { createEvidenceSigner } from "countersign/evidence";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../../../../tests/support/databases.js";
import { proposeCall } from "../../../../tests/support/proposals.js";
import { postgresStore } from "../../../../tests/support/store.js";
import { storeClient } from "./connection/postgres-client.js";
import { openTransactions } from "./transact.js";

// The last statements of a transaction are sent together with its commit.

async function openStore() {
  const database = await freshPostgres(2);
  const store = postgresStore({ url: database.url });
  await store.migrate();
  return {
    store,
    admin: database.admin,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

it("a transaction whose log cannot be written commits nothing", async () => {
  await using opened = await openStore();
  const { store, admin } = opened;
  await admin.unsafe(`create function public.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'the log is full'; end $$;
    create trigger refused before insert on countersign.audit_entries execute function public.refuse()`);
  await expect(proposeCall(store)).rejects.toMatchObject({ detail: { sqlState: "P0001" } });
  expect(await admin`select * from countersign.requests`).toEqual([]);
  await admin.unsafe("drop trigger refused on countersign.audit_entries");
  expect(await proposeCall(store)).toHaveLength(1);
});

it("a transaction whose messages to channels cannot be written commits nothing", async () => {
  await using opened = await openStore();
  const { store, admin } = opened;
  await admin.unsafe("alter table countersign.deliveries add constraint refused check (false)");
  const notify = ["slack:#finance"];
  await expect(proposeCall(store, { ids: "one", notify })).rejects.toMatchObject({
    detail: { sqlState: "23514", verb: "announce" },
  });
  // The call was proposed before, and is not announced.
  expect(await admin`select status from countersign.approvals`).toEqual([{ status: "proposed" }]);
  await admin.unsafe("alter table countersign.deliveries drop constraint refused");
  expect(await proposeCall(store, { ids: "one", notify })).toMatchObject([{ status: "pending" }]);
});

it("announces an approval to more targets than one statement can hold", async () => {
  await using opened = await openStore();
  const { store, admin } = opened;
  const notify = Array.from({ length: 12_000 }, (_, index) => `slack:#channel-${index}`);
  await proposeCall(store, { notify });
  const [due] = await admin`select count(distinct target)::int as targets from countersign.deliveries`;
  expect(due).toEqual({ targets: 12_000 });
});

describe("a transaction of the store", () => {
  /** Transactions on a database with an empty table of notes. */
  async function open() {
    const database = await freshPostgres(2);
    const { sql: client, close } = storeClient(postgres(database.url, { fetch_types: false }), {
      owned: true,
      waitTimeoutMs: 20_000,
      onSilence() {},
    });
    await database.admin.unsafe(
      "create table public.notes (words text); grant all on public.notes to public",
    );
    const transactions = openTransactions(drizzle({ client }), {
      clockOffset: () => 0,
      beginsReadCommitted: true,
      waitTimeoutMs: 20_000,
      onCommitted() {},
    });
    return {
      transactions,
      notes: () => database.admin`select words from public.notes`,
      async [Symbol.asyncDispose]() {
        await close();
        await database[Symbol.asyncDispose]();
      },
    };
  }

  it("commits nothing if its entry for the log cannot even be written down", async () => {
    await using opened = await open();
    const data: Record<string, unknown> = {};
    data.itself = data;
    const writing = opened.transactions.asSystem(async (tx) => {
      await tx.db.execute(sql`insert into public.notes values ('a')`);
      tx.audited.push({ tenantId: "acme", approvalId: null, type: "stop.engaged", data });
    });
    await expect(writing).rejects.toThrow();
    expect(await opened.notes()).toEqual([]);
  });
});

it("a claim needs the key if only the table of proofs says that its decision was signed", async () => {
  await using opened = await openStore();
  const { store, admin } = opened;
  const signer = createEvidenceSigner("only for tests, and at least 32 bytes long");
  const [call] = await proposeCall(store, { signer });
  const { id: approvalId, digest } = call ?? { id: "", digest: "" };
  const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
  await store.decide({ approvalId, digest, principal, type: "approve", reason: null }, signer);
  await admin.unsafe(`alter table countersign.audit_entries disable trigger all;
    update countersign.audit_entries set data = (data::jsonb - 'evidenceId')::json`);
  await expect(store.claim(approvalId, "once", () => undefined)).rejects.toMatchObject({
    code: "signing_key_missing",
  });
});
