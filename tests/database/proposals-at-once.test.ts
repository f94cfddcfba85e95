import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wholeLog } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { untilWaitingForLock } from "../support/postgres/server-connections.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

type Signer = ReturnType<typeof createEvidenceSigner>;
type Options = NonNullable<Parameters<typeof proposeCall>[1]>;
type Grant = NonNullable<Parameters<Store["decide"]>[0]["grant"]>;

const signer = createEvidenceSigner("only for tests, and at least 32 bytes long");
const proofs: [string, Signer | undefined][] = [
  ["without signatures", undefined],
  ["with signatures", signer],
];
const many = 100;
const terms = { grantable: ["team" as const, "thread" as const] };
const waiting = { status: "proposed" };
const full = { status: "withdrawn", withdrawalCause: "too_many_pending" };

let database: Awaited<ReturnType<typeof freshPostgres>>;
/** Of two processes. Each groups its own proposals, so those of two only meet in the database. */
let clients: readonly postgres.Sql[];
let stores: readonly [Store, Store];

beforeAll(async () => {
  database = await freshPostgres(2);
  const open = () => postgres(database.url, { max: 6, fetch_types: false, onnotice: () => {} });
  const [one, another] = [open(), open()];
  clients = [one, another];
  // So long that a test which waits for it fails.
  const storeOf = (client: postgres.Sql) => postgresStore({ client, waitTimeoutMs: 300_000 });
  stores = [storeOf(one), storeOf(another)];
});

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
  await database[Symbol.asyncDispose]();
});

/** Proposes a call in the other process each time; the number of it is part of the options. */
async function propose(index: number, options: Options): Promise<Approval> {
  const [call] = await proposeCall(stores[index % 2 === 0 ? 0 : 1], {
    ...{ announce: false, threadId: `thread ${index}`, requesterId: `requester ${index}`, ...options },
  });
  if (!call) throw new Error("nothing was proposed");
  return call;
}

/** All at once. None is written before both processes have judged some: somebody holds the log. */
async function proposeAll(
  tenantId: string,
  optionsOf: (index: number) => Options,
  count = many,
): Promise<Approval[]> {
  // Before that, there is nothing to hold.
  await stores[0].recordNote({ tenantId, type: "call.refused", data: { attempt: 1, toolName: "erase" } });
  let calls: Promise<Approval>[] = [];
  await byHand(tenantId, async (tx) => {
    await tx`select from countersign.audit_heads for update`;
    calls = Array.from({ length: count }, (_, index) => propose(index, { tenantId, ...optionsOf(index) }));
    for (const call of calls) call.catch(() => {});
    const waiting = () => database.admin`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting()).length, { interval: 10 }).toBeGreaterThan(1);
  });
  return Promise.all(calls);
}

/** How many calls came to the same end. */
function numbersOf(calls: readonly Approval[]): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const { status, withdrawalCause } of calls) {
    const end = withdrawalCause ?? status;
    numbers[end] = (numbers[end] ?? 0) + 1;
  }
  return numbers;
}

const entryTypes = {
  proposed: "approval.proposed",
  approved: "approval.granted",
  withdrawn: "approval.withdrawn",
} as Record<string, string>;

/** Each call has its row as it was answered, and one entry in the log, which is whole. */
async function checkWritten(tenantId: string, calls: readonly Approval[]): Promise<void> {
  const [store] = stores;
  const log = await wholeLog(store, tenantId);
  expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, entries: log.length });
  for (const call of calls) {
    const its = log.filter(({ approvalId }) => approvalId === call.id);
    expect(its.map(({ type }) => type)).toEqual([entryTypes[call.status]]);
  }
  const rows = await Promise.all(calls.map(({ requestId }) => store.approvalsOf(requestId)));
  expect(rows.flat()).toEqual(calls);
}

/** Gives a grant for calls of a tenant. */
async function give(
  tenantId: string,
  parts: Partial<Grant>,
  signs: Signer | undefined,
  input = {},
): Promise<string> {
  const [store] = stores;
  const signed = signs && { signer: signs };
  const [call] = await proposeCall(store, { tenantId, terms, ...signed, input: { amount: 1, ...input } });
  if (!call) throw new Error("nothing was proposed");
  const principal = { id: "lead", tenantId, roles: ["lead"] };
  const grant: Grant = {
    ...{ scope: "team", inputHash: null, condition: null, authorSeesAll: false, lifetimeMs: 3_600_000 },
    ...{ uses: null, budget: null, ...parts },
  };
  const { id: approvalId, digest } = call;
  await store.decide({ approvalId, principal, type: "approve", digest, reason: null, grant }, signs);
  const [given] = await store.listGrants({ tenantId, limit: 1 });
  if (!given) throw new Error("no grant was given");
  return given.id;
}

const rowOf = async (grantId: string) =>
  (
    await database.admin`select uses_left, uses_taken, spent from countersign.grants where id = ${grantId}`
  )[0];

/** Repeats what somebody does by SQL until the work is done. */
async function meanwhile<T>(act: () => Promise<unknown>, work: Promise<T>): Promise<T> {
  let isDone = false;
  const acting = (async () => {
    while (!isDone) await act();
  })();
  try {
    return await work;
  } finally {
    isDone = true;
    await acting;
  }
}

/** A transaction of somebody who may write the rows of a tenant. */
function byHand(tenantId: string, work: (tx: postgres.TransactionSql) => Promise<unknown>): Promise<unknown> {
  return database.postgres.begin(async (tx) => {
    await tx`select set_config('countersign.tenant', ${tenantId}, true)`;
    await work(tx);
  });
}

describe("a hundred proposals at once", () => {
  const none = { pendingPerRun: 999, pendingPerThread: 999, pendingPerRequester: 999, pendingPerTenant: 999 };

  it.each<[string, Partial<typeof none>, Options]>([
    ["run", { pendingPerRun: 30 }, { runId: "one run" }],
    ["thread", { pendingPerThread: 30 }, { threadId: "one thread" }],
    ["requester", { pendingPerRequester: 30 }, { requesterId: "one requester" }],
    ["tenant", { pendingPerTenant: 30 }, {}],
  ])("wait in a %s up to exactly its limit", async (of, limit, options) => {
    const tenantId = `waiting in a ${of}`;
    const limits = { ...none, ...limit, denialsInARow: 5 };
    const calls = await proposeAll(tenantId, () => ({ ...options, limits }));
    expect(numbersOf(calls)).toEqual({ proposed: 30, too_many_pending: 70 });
    await checkWritten(tenantId, calls);
    expect(await propose(0, { tenantId, ...options, limits })).toMatchObject(full);
  });

  it("of several calls each wait up to exactly the limit", async () => {
    const tenantId = "several calls";
    const limits = { ...none, pendingPerTenant: 50, denialsInARow: 5 };
    const first = await proposeAll(tenantId, (index) => ({
      ...{ limits, calls: 3, ids: `several ${index}` },
    }));
    const all = await Promise.all(first.map(({ requestId }) => stores[0].approvalsOf(requestId)));
    expect(numbersOf(all.flat())).toEqual({ proposed: 50, too_many_pending: 250 });
  });

  it.each<[string, Options]>([
    ["thread", { threadId: "one thread" }],
    ["run without a thread", { threadId: null, runId: "the same run", requesterId: "one requester" }],
  ])("for the same call in one %s ask once", async (place, options) => {
    const tenantId = `the same in one ${place}`;
    const same = { about: "same", input: { amount: 1 }, ...options };
    const calls = await proposeAll(tenantId, () => same);
    const [first] = calls.filter(({ status }) => status === "proposed");
    expect(numbersOf(calls)).toEqual({ proposed: 1, duplicate_call: many - 1 });
    expect(new Set(calls.map(({ duplicateOf }) => duplicateOf))).toEqual(new Set([null, first?.id]));
    await checkWritten(tenantId, calls);
  });

  it("of the same request write it once, and have the same answer", async () => {
    const tenantId = "one request";
    const same = { ids: "one request", about: "same", threadId: "one", requesterId: "one", runId: "one run" };
    const calls = await proposeAll(tenantId, () => same);
    expect(calls).toEqual(calls.map(() => calls[0]));
    await checkWritten(tenantId, calls.slice(0, 1));
  });

  it("that are counted have read what was counted before them, and nothing else", async () => {
    const tenantId = "counted";
    const read: number[] = [];
    const queries = [{ counter: "calls", windowMs: 3_600_000 }];
    const tries = async (index: number): Promise<void> => {
      const before = await stores[index % 2 === 0 ? 0 : 1].readCounts(tenantId, queries);
      let confirmed: number | undefined;
      const stand = ([counted]: readonly number[]) => {
        confirmed = counted;
        // The limit is 20: only whether one more is above it matters.
        return (counted ?? 0) < 20 === (before[0] ?? 0) < 20;
      };
      const verdict = (before[0] ?? 0) < 20 ? "notify" : "ask";
      const options: Options = {
        ...{ tenantId, verdict, countedAs: [{ counter: "calls", amount: 1 }] },
        counts: { queries, stand },
      };
      try {
        await propose(index, options);
        read.push(confirmed ?? -1);
      } catch (error) {
        if (error instanceof Error && error.name === "CountsChanged") return tries(index);
        throw error;
      }
    };
    await Promise.all(Array.from({ length: many }, (_, index) => tries(index)));
    expect(read.toSorted((one, another) => one - another)).toEqual(read.map((_, index) => index));
    const rows = await database.admin`select call.verdict from countersign.counted_calls counted
      join countersign.approvals call on call.id = counted.approval_id
      where counted.tenant_id = ${tenantId} order by counted.position`;
    expect(rows.map(({ verdict }) => verdict)).toEqual(
      rows.map((_, place) => (place < 20 ? "notify" : "ask")),
    );
    expect(rows).toHaveLength(many);
  });

  it("of a run that ends meanwhile leave nothing open", async () => {
    for (const cause of ["run_failed", "run_cancelled"] as const) {
      const [tenantId, runId] = [`run that ends: ${cause}`, `run that ends: ${cause}`];
      const verdicts = ["ask", "notify", "deny"] as const;
      const calls = Array.from({ length: many }, async (_, index) => {
        if (index === 50) await stores[1].withdrawRun(runId, cause);
        return propose(index, { tenantId, runId, verdict: verdicts[index % 3] ?? "ask" });
      });
      await Promise.all(calls);
      const rows = await database.admin`select verdict, status, withdrawal_cause, count(*)::int > 0 as some
        from countersign.approvals where run_id = ${runId} group by 1, 2, 3 order by 1`;
      expect([...rows]).toEqual([
        { verdict: "ask", status: "withdrawn", withdrawal_cause: cause, some: true },
        { verdict: "deny", status: "denied", withdrawal_cause: null, some: true },
        { verdict: "notify", status: "withdrawn", withdrawal_cause: cause, some: true },
      ]);
      const open =
        await database.admin`select from countersign.requests where run_id = ${runId} and settled_at is null`;
      expect(open).toHaveLength(0);
      expect(await stores[0].verifyAudit(tenantId)).toMatchObject({ ok: true });
    }
  });
});

describe.each(proofs)("a grant, %s,", (proof, signs) => {
  const signed = signs && { signer: signs };

  it("for thirty calls approves exactly thirty of a hundred", async () => {
    const tenantId = `thirty uses ${proof}`;
    const grantId = await give(tenantId, { uses: 30 }, signs);
    const calls = await proposeAll(tenantId, () => ({ terms, ...signed }));
    expect(numbersOf(calls)).toEqual({ approved: 30, proposed: 70 });
    expect(await rowOf(grantId)).toMatchObject({ uses_left: 0, uses_taken: 30 });
    await checkWritten(tenantId, calls);
  });

  it("for thirty calls approves thirty of proposals with several", async () => {
    const tenantId = `several uses ${proof}`;
    const grantId = await give(tenantId, { uses: 31 }, signs);
    const first = await proposeAll(tenantId, () => ({ terms, ...signed, calls: 2 }), 40);
    const all = await Promise.all(first.map(({ requestId }) => stores[0].approvalsOf(requestId)));
    expect(numbersOf(all.flat())).toEqual({ approved: 31, proposed: 49 });
    expect(await rowOf(grantId)).toMatchObject({ uses_left: 0, uses_taken: 31 });
  });

  it("with a budget approves as many calls as fit exactly", async () => {
    const tenantId = `a budget ${proof}`;
    const budget = { amount: "amount", total: 6.3, each: null, unit: null };
    const grantId = await give(tenantId, { budget }, signs);
    const calls = await proposeAll(tenantId, () => ({ terms, ...signed, input: { amount: 0.1 } }));
    expect(numbersOf(calls)).toEqual({ approved: 63, proposed: 37 });
    const over = { grantId, total: 6.3, used: 6.3, each: null, unit: null, amount: 0.1 };
    expect(calls.filter(({ status }) => status === "proposed")).toEqual(
      calls.flatMap((call) => (call.status === "proposed" ? [{ ...call, overBudget: over }] : [])),
    );
    await checkWritten(tenantId, calls);
  });

  it("with a budget, whose calls start meanwhile, approves as many as fit exactly", async () => {
    const tenantId = `a budget that is spent ${proof}`;
    const budget = { amount: "amount", total: 30, each: null, unit: null };
    const grantId = await give(tenantId, { budget }, signs);
    const calls = await Promise.all(
      Array.from({ length: many }, async (_, index) => {
        const call = await propose(index, { tenantId, terms, ...signed, input: { amount: 1 } });
        if (call.status !== "approved") return call.status;
        return (await stores[(index + 1) % 2 === 0 ? 0 : 1].claim(call.id, "once", () => undefined, signs))
          .outcome;
      }),
    );
    expect(calls.filter((end) => end === "claimed")).toHaveLength(30);
    expect(calls.filter((end) => end === "proposed")).toHaveLength(70);
    expect(await rowOf(grantId)).toMatchObject({ spent: "30" });
  });

  it("that is revoked meanwhile approves none after that", async () => {
    const tenantId = `revoked ${proof}`;
    const grantId = await give(tenantId, {}, signs);
    const principal = { id: "lead", tenantId, roles: ["lead"] };
    const revoking = proposeAll(tenantId, () => ({ terms, ...signed }));
    await Promise.all([revoking, stores[1].revokeGrant(principal, grantId)]);
    const log = await wholeLog(stores[0], tenantId);
    const types = log.map(({ type }) => type);
    expect(types.lastIndexOf("approval.granted")).toBeLessThan(types.indexOf("grant.revoked"));
    expect(await propose(0, { tenantId, terms, ...signed })).toMatchObject(waiting);
  });
});

describe("a signed grant", () => {
  it("for thirty calls approves thirty, however often somebody renews its uses", async () => {
    const tenantId = "renewed";
    const grantId = await give(tenantId, { uses: 30 }, signer);
    const renew = () =>
      byHand(tenantId, (tx) => tx`update countersign.grants set uses_left = 30 where id = ${grantId}`);
    const calls = await meanwhile(
      renew,
      proposeAll(tenantId, () => ({ terms, signer })),
    );
    expect(numbersOf(calls)).toEqual({ approved: 30, proposed: 70 });
    await renew();
    expect(await propose(0, { tenantId, terms, signer })).toMatchObject(waiting);
    await checkWritten(tenantId, calls);
  });

  it("with a budget approves what fits, however often somebody resets what it has spent", async () => {
    const tenantId = "reset";
    const budget = { amount: "amount", total: 30, each: null, unit: null };
    const grantId = await give(tenantId, { budget }, signer);
    const reset = () =>
      byHand(tenantId, async (tx) => {
        await tx`update countersign.grants set spent = 0 where id = ${grantId}`;
        await tx`update countersign.approvals set grant_amount = 0 where grant_id = ${grantId}`;
      });
    const calls = await meanwhile(
      reset,
      proposeAll(tenantId, () => ({ terms, signer })),
    );
    const spent = calls.filter(({ status }) => status === "approved");
    // Each amount is that of a call's only argument, 80.
    expect(spent).toHaveLength(0);
    const small = await meanwhile(
      reset,
      proposeAll(tenantId, () => ({ terms, signer, input: { amount: 1 } })),
    );
    expect(numbersOf(small)).toEqual({ approved: 30, proposed: 70 });
  });

  it("covers no other call, though somebody changes its row between what a proposal reads, and back", async () => {
    const tenantId = "changed and back";
    const exact = { id: "A-1", amount: 1 };
    const grantId = await give(tenantId, { inputHash: hashCanonical(exact) }, signer, exact);
    const set = (input: object) =>
      byHand(
        tenantId,
        (tx) => tx`update countersign.grants set input_hash = ${hashCanonical(input)} where id = ${grantId}`,
      );
    const dear = { id: "A-1", amount: 1_000_000 };
    await set(dear);
    const turn = await clients[0]?.reserve();
    if (!turn) throw new Error("there is no connection");
    const lock = (name: string) =>
      turn`select ${turn.unsafe(name)}(hashtextextended(${`countersign:propose:${tenantId}`}, 0))`;
    let call: Promise<Approval> | undefined;
    await byHand(tenantId, async (tx) => {
      await tx`lock table countersign.audit_entries in access exclusive mode`;
      call = propose(1, { tenantId, terms, signer, input: dear });
      // It has chosen the grant, and will read its row.
      await untilWaitingForLock(database.admin, 1);
      await set(exact);
      await lock("pg_advisory_lock");
    });
    await untilWaitingForLock(database.admin, 1);
    await set(dear);
    await lock("pg_advisory_unlock");
    turn.release();
    expect(await call).toMatchObject({ ...waiting, grantId: null });
  });
});

it("a run that counted as lost is forgotten to be so when it proposes again", async () => {
  const tenantId = "alive";
  await stores[0].withdrawRun("alive", "run_lost");
  expect(await propose(0, { tenantId, runId: "alive" })).toMatchObject(waiting);
  expect(await database.admin`select from countersign.ended_runs where run_id = 'alive'`).toHaveLength(0);
});

it("proposals wait for their turn together, and nobody else of the tenant waits with them", async () => {
  const tenantId = "in turn";
  const [store, another] = stores;
  const [open] = await proposeCall(store, { tenantId });
  const [other] = await proposeCall(store, { tenantId });
  const decide = (call: Approval | undefined, by: Store) =>
    by.decide({
      ...{ approvalId: call?.id ?? "", digest: call?.digest ?? "", type: "approve", reason: null },
      principal: { id: "lead", tenantId, roles: ["lead"] },
    });
  let proposed: Promise<Approval>[] = [];
  await byHand(tenantId, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`countersign:propose:${tenantId}`}, 0))`;
    proposed = Array.from({ length: 40 }, (_, index) => propose(index, { tenantId }));
    for (const call of proposed) call.catch(() => {});
    await untilWaitingForLock(database.admin, 2);
    expect(await decide(open, store)).toMatchObject({ outcome: "decided" });
    expect(await decide(other, another)).toMatchObject({ outcome: "decided" });
  });
  const calls = await Promise.all(proposed);
  expect(numbersOf(calls)).toEqual({ proposed: 40 });
  await checkWritten(tenantId, calls);
});

it("a function that is older than the process refuses what it does not know", async () => {
  const sets = JSON.stringify([{ approvals: [], logs: [], later: {} }]);
  const applying = database.postgres`select countersign.apply_changes('acme', 'off', '1000', 0, '1000', ${sets})`;
  await expect(applying).rejects.toMatchObject({ code: "42883" });
});

it("no two of them have waited for each other", async () => {
  await Promise.all(stores.map((store) => store.close()));
  await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
  const [counted] =
    await database.admin`select deadlocks from pg_stat_database where datname = current_database()`;
  expect(counted).toEqual({ deadlocks: "0" });
});
