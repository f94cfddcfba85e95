import { createEvidenceSigner } from "countersign/evidence";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { finance, giveBudget, hundred, proposeOne, proposeSpending, usedOf } from "../support/budgets.js";
import { freshPostgres } from "../support/databases.js";
import { crashingProxy } from "../support/postgres/crashing-proxy.js";
import { postgresStore, type Store } from "../support/store.js";

type ClaimResult = Awaited<ReturnType<Store["claim"]>>;

const asApproved = () => undefined;

async function openStore(connections = 30) {
  const database = await freshPostgres(connections);
  // A thousand claims wait for one row.
  const store = postgresStore({ client: database.postgres, waitTimeoutMs: 300_000 });
  await store.migrate();
  /** What the row of the only grant says was spent. */
  const spent = async () => (await database.admin`select spent from countersign.grants`)[0]?.spent;
  return { store, database, spent, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** Marks all waiting calls as approved by a grant, whatever its budget. */
function forceApproval(database: Awaited<ReturnType<typeof freshPostgres>>, grantId: string) {
  return database.admin`
    update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
      decided_roles = '{finance}', decided_at = now(), grant_id = ${grantId},
      grant_amount = (input_json::jsonb ->> 'amount')::numeric
    where status = 'proposed'`;
}

/** The claims that had this outcome. */
const having = (outcome: ClaimResult["outcome"], results: ClaimResult[]) =>
  results.filter((result) => result.outcome === outcome);

describe("claims of calls under one budget", () => {
  it("start 63 of 200 calls of 0.10 under a budget of 6.30 when all are claimed at once", async () => {
    await using opened = await openStore();
    const { store, database, spent } = opened;
    const calls = await proposeSpending(store, Array<number>(200).fill(0.1));
    const grantId = await giveBudget(store, { ...hundred, total: 6.3 });
    await forceApproval(database, grantId);
    const results = await Promise.all(calls.map(({ id }) => store.claim(id, "once", asApproved)));
    // In floating point, 63 times 0.1 is more than 6.3.
    expect(having("claimed", results)).toHaveLength(63);
    expect(await spent()).toBe("6.3");
    const rows = await database.admin`
      select status, withdrawal_cause, count(*)::int as calls, sum(grant_amount)::text as amount
      from countersign.approvals where grant_id = ${grantId} group by 1, 2 order by 1`;
    expect([...rows]).toEqual([
      { status: "executing", withdrawal_cause: null, calls: 63, amount: "6.3" },
      { status: "withdrawn", withdrawal_cause: "budget_exhausted", calls: 137, amount: "13.7" },
    ]);
    expect(await usedOf(store, grantId)).toBe(6.3);
  });

  it("count each call once, however often it is claimed at once", async () => {
    await using opened = await openStore();
    const { store, spent } = opened;
    await giveBudget(store, hundred);
    const calls = await proposeSpending(store, [19, 19, 19, 19, 19]);
    const results = await Promise.all(
      Array.from({ length: 8 }, () =>
        calls.map(({ id }) => store.claim(id, "idempotent", asApproved)),
      ).flat(),
    );
    expect(having("claimed", results)).toHaveLength(5);
    expect(having("already_started", results)).toHaveLength(35);
    expect(await spent()).toBe("95");
  });

  it("start no call of more than the budget allows each", async () => {
    await using opened = await openStore();
    const { store, database, spent } = opened;
    const call = await proposeOne(store, 60);
    const grantId = await giveBudget(store, { ...hundred, each: 50 });
    await forceApproval(database, grantId);
    expect(await store.claim(call.id, "once", asApproved)).toMatchObject({
      outcome: "refused",
      approval: { withdrawalCause: "budget_exhausted" },
    });
    expect(await spent()).toBe("0");
  });
});

it("twenty calls of 19 proposed at once under a budget of 100 are five approved and fifteen asked", async () => {
  await using opened = await openStore();
  const { store } = opened;
  const grantId = await giveBudget(store, hundred);
  const calls = await Promise.all(Array.from({ length: 20 }, () => proposeOne(store, 19)));
  const approved = calls.filter(({ status }) => status === "approved");
  expect(approved).toHaveLength(5);
  expect(approved.every((call) => call.grantId === grantId)).toBe(true);
  expect(calls.filter(({ status }) => status === "proposed")).toHaveLength(15);
  expect(await usedOf(store, grantId)).toBe(95);
});

it("calls that are proposed and claimed at once never use more than the budget, or less than fits", async () => {
  await using opened = await openStore();
  const { store, spent } = opened;
  await giveBudget(store, hundred);
  const calls = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const call = await proposeOne(store, 19);
      return call.grantId === null ? undefined : store.claim(call.id, "once", asApproved);
    }),
  );
  // A claim between the two reads of a proposal would count twice, and the fifth call would be asked.
  expect(calls.filter((claimed) => claimed?.outcome === "claimed")).toHaveLength(5);
  expect(await spent()).toBe("95");
});

describe.each([
  { proof: "without signatures", signer: undefined },
  { proof: "with signatures", signer: createEvidenceSigner("only for tests, and at least 32 bytes long") },
])("a process that dies while it claims a call under a budget, $proof", ({ signer }) => {
  it("neither loses nor doubles money, whichever statement was its last", async () => {
    await using opened = await openStore(4);
    const { store, database, spent } = opened;
    const url = new URL(database.url);
    const proxy = await crashingProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    await giveBudget(store, { ...hundred, total: 1_000 }, { signer });
    const ends: string[] = [];
    for (let statements = 0, starts = 0; ; statements += 1) {
      const call = await proposeOne(store, 19, signer && { signer });
      expect(call.status).toBe("approved");
      const pool = postgres(url.href, { max: 1, onnotice: () => {}, fetch_types: false });
      await pool`select 1`;
      proxy.crashAfter(statements);
      const claim = postgresStore({ client: pool }).claim(call.id, "once", asApproved, signer);
      const outcome = await claim.then(
        (result) => result.outcome,
        () => "crashed",
      );
      await proxy.recover();
      await pool.end({ timeout: 0 });
      const status = (await store.getApproval("acme", call.id))?.status;
      ends.push(`${outcome}, ${status}`);
      // The call has started and its amount is spent, or neither.
      expect(await spent()).toBe(String(19 * (status === "executing" ? starts + 1 : starts)));
      const again = await store.claim(call.id, "once", asApproved, signer);
      expect(again.outcome).toBe(status === "executing" ? "already_started" : "claimed");
      starts += 1;
      expect(await spent()).toBe(String(19 * starts));
      if (outcome === "claimed") break;
    }
    proxy.close();
    // The last crash comes after the commit, and its answer is lost.
    expect(ends.at(-2)).toBe("crashed, executing");
    expect(ends.slice(0, -2).every((end) => end === "crashed, approved")).toBe(true);
    expect(ends.length).toBeGreaterThan(3);
  });
});

/** A signer that acts once, before it first reads: between what a verb has read and what it will write. */
function actingFirst(
  signer: ReturnType<typeof createEvidenceSigner>,
  act: () => Promise<unknown>,
): typeof signer {
  let acted = false;
  return {
    ...signer,
    read: async (...signed) => {
      if (!acted) {
        acted = true;
        await act();
      }
      return signer.read(...signed);
    },
  };
}

it.each(["starts", "continues"])("a call whose grant is revoked while it is judged never %s", async (how) => {
  const signer = createEvidenceSigner("only for tests, and at least 32 bytes long");
  await using opened = await openStore(4);
  const { store, database } = opened;
  await giveBudget(store, hundred, { signer });
  const call = await proposeOne(store, 19, { signer });
  const grantId = call.grantId ?? "";
  if (how === "continues") await store.claim(call.id, "idempotent", asApproved, signer);
  const revoking = actingFirst(signer, async () => {
    expect(await store.revokeGrant(finance, grantId)).toMatchObject({ outcome: "revoked" });
    // The row can be reset, the log cannot.
    await database.admin`update countersign.grants set revoked_at = null, revoked_by = null where id = ${grantId}`;
  });
  expect(await store.claim(call.id, "idempotent", asApproved, revoking)).toMatchObject({
    outcome: "refused",
    approval: { status: how === "starts" ? "withdrawn" : "interrupted" },
  });
});

it("a claim whose proof is used while it is judged spends nothing", async () => {
  const signer = createEvidenceSigner("only for tests, and at least 32 bytes long");
  await using opened = await openStore(4);
  const { store, database, spent } = opened;
  await giveBudget(store, hundred, { signer });
  const call = await proposeOne(store, 19, { signer });
  const reader = actingFirst(
    signer,
    () => database.admin`update countersign.evidence set consumed_at = now()`,
  );
  expect(await store.claim(call.id, "once", asApproved, reader)).toMatchObject({
    outcome: "refused",
    approval: { status: "withdrawn", withdrawalCause: "evidence_invalid" },
  });
  expect(await spent()).toBe("0");
  expect(await store.getGrant(finance, call.grantId ?? "")).toMatchObject({ budgetUsed: 0 });
});
