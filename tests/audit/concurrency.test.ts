import type { Approval, Principal } from "countersign";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { openStore, smallLog, statesTold, watchStates, wholeLog } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const tenants = ["acme", "bolt", "crane"];

const person = (tenantId: string, id: string): Principal => ({ id, tenantId, roles: [] });

function decide(store: Store, { id, digest, tenantId }: Approval, index: number) {
  const type = index % 3 === 0 ? "deny" : "approve";
  const principal = person(tenantId, `person-${index}`);
  return store.decide({ approvalId: id, principal, type, digest, reason: null });
}

/** What a run does with an approved call. */
async function execute(store: Store, { id }: Approval) {
  const { outcome } = await store.claim(id, "once", () => undefined);
  if (outcome === "claimed") await store.finish(id, { status: "executed", outcomeJson: "{}" });
}

it("concurrent decisions, runs, relays and sweeps leave every chain complete, without a deadlock", async () => {
  await using database = await freshPostgres(50);
  let offset = 0;
  const store = await openStore(database, () => offset);
  const states = await watchStates(database);
  const proposed = (calls: number) =>
    Promise.all(tenants.map((tenantId) => proposeCall(store, { tenantId, calls }))).then((all) => all.flat());
  let left: Approval[] = [];
  for (let round = 0; round < 2; round++) {
    // Calls that the previous round left are overdue now, so the sweep ends calls of all tenants at once.
    offset += 61 * 60_000;
    const overdue = left;
    const decided = [...(await proposed(4)), ...(await proposed(4)), ...(await proposed(4))];
    const [withdrawn, failed, claimed, idle] = [
      await proposed(3),
      await proposed(3),
      await proposed(2),
      await proposed(2),
    ];
    await Promise.all(claimed.map((call) => decide(store, call, 1)));
    await Promise.all(claimed.map(({ id }) => store.claim(id, "once", () => undefined)));
    left = [...claimed.slice(1), ...idle];
    const requestIds = (calls: Approval[]) => [...new Set(calls.map(({ requestId }) => requestId))];
    const runIds = (calls: Approval[]) => [...new Set(calls.map(({ runId }) => runId ?? ""))];

    const everything = await Promise.allSettled([
      ...Array.from({ length: 50 }, (_, index) => {
        const call = decided[index % decided.length];
        if (!call) throw new Error("unreachable");
        return decide(store, call, index).then(() => execute(store, call));
      }),
      ...requestIds([...overdue, ...decided, ...withdrawn]).flatMap((id) => [
        store.peek(id, 0),
        store.settle(id, 0),
        store.announce(id),
      ]),
      ...overdue.map(({ id }) => store.finish(id, { status: "interrupted" })),
      ...overdue.map((call) => decide(store, call, 2)),
      ...claimed.slice(0, 1).map(({ id }) => store.finish(id, { status: "failed", outcomeJson: "{}" })),
      ...runIds([...failed, ...decided.slice(0, 4)]).map((runId) => store.withdrawRun(runId, "run_failed")),
      ...requestIds(withdrawn).map((id) => store.withdrawRequest(id, "orchestration_failed")),
      ...Array.from({ length: 4 }, () => store.sweep()),
      ...Array.from({ length: 4 }, () => store.takeDueWakeUps(50)),
      ...tenants.flatMap((tenantId) => [
        store.recordNote({ tenantId, type: "call.refused", data: { round } }),
        store.verifyAudit(tenantId).then((result) => expect(result).toMatchObject({ ok: true })),
        smallLog(store, tenantId),
      ]),
    ]);
    expect(everything.filter(({ status }) => status === "rejected")).toEqual([]);
  }
  await store.sweep();

  const logged = new Map<string, string[]>();
  for (const tenantId of tenants) {
    const log = await wholeLog(store, tenantId);
    expect(log.map(({ position }) => position)).toEqual(log.map((_, index) => index + 1));
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, entries: log.length });
    for (const [id, states] of statesTold(log)) logged.set(id, states);
  }
  expect(logged).toEqual(await states());
  const ends = new Set([...logged.values()].map((all) => all.at(-1)));
  for (const end of ["executed", "failed", "denied", "withdrawn", "expired", "interrupted"])
    expect(ends).toContain(end);
});

const appends = (statement: string) => statement.includes("append_to_audit_log(");

describe("the lock on the head of a chain", () => {
  it("is taken last, in the order of tenants, and nothing else follows before the commit", async () => {
    await using database = await freshPostgres(1);
    const statements: string[] = [];
    const headsTaken: unknown[] = [];
    const client = postgres(database.url, {
      max: 1,
      onnotice: () => {},
      debug: (_connection, statement, parameters) => {
        statements.push(statement);
        if (appends(statement)) headsTaken.push(parameters[0]);
      },
    });
    let offset = 0;
    const store = postgresStore({ client, clockOffset: () => offset });
    await store.migrate();
    statements.length = 0;

    const [first, second, third] = await proposeCall(store, { calls: 4, runId: "run" });
    if (!first || !second || !third) throw new Error("unreachable");
    await decide(store, first, 1);
    await decide(store, second, 1);
    await store.claim(first.id, "once", () => undefined);
    await store.claim(second.id, "once", () => undefined);
    await store.finish(first.id, { status: "failed", outcomeJson: "{}" });
    await decide(store, third, 1);
    await store.claim(third.id, "once", () => ({ cause: "policy_changed" }));
    await store.recordNote({ tenantId: "acme", type: "call.refused", data: {} });
    await store.withdrawRun("run", "run_cancelled");
    const [, expiring] = await proposeCall(store, { calls: 2 });
    const [other] = await proposeCall(store, { calls: 2, tenantId: "zinc" });
    if (!expiring || !other) throw new Error("unreachable");
    for (const tenantId of ["zinc", "bolt", "crane", "able"]) {
      const [call] = await proposeCall(store, { tenantId });
      if (!call) throw new Error("unreachable");
      await decide(store, call, 1);
      await store.claim(call.id, "once", () => undefined);
    }
    offset += 32 * 60_000;
    await decide(store, expiring, 1);
    await store.withdrawRequest(other.requestId, "orchestration_failed");
    offset += 61 * 60_000;
    headsTaken.length = 0;
    expect(await store.sweep()).toMatchObject({ interrupted: 5 });
    await client.end();
    expect(headsTaken.slice(-5)).toEqual(["able", "acme", "bolt", "crane", "zinc"]);

    const transactions: string[][] = [];
    for (const statement of statements) {
      if (statement.startsWith("begin")) transactions.push([]);
      else transactions.at(-1)?.push(statement);
    }
    const written = transactions.filter((all) => all.some(appends));
    expect(written.length).toBeGreaterThan(2);
    for (const transaction of written) {
      const after = transaction.slice(transaction.findIndex(appends));
      const end = after.findIndex((statement) => statement.startsWith("commit"));
      expect(end).toBeGreaterThan(0);
      expect(after.slice(0, end).filter((statement) => !appends(statement))).toEqual([]);
    }
  });

  it("delays neither another tenant's writes nor verification", async () => {
    await using database = await freshPostgres(5);
    const store = await openStore(database);
    await smallLog(store, "acme");
    const blocker = await database.admin.reserve();
    await blocker`begin`;
    await blocker`select from countersign.audit_heads where tenant_id = 'acme' for update`;
    const waiting = store.recordNote({ tenantId: "acme", type: "call.refused", data: {} });
    await smallLog(store, "bolt");
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 6 });
    await blocker`commit`;
    blocker.release();
    await waiting;
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 7 });
    expect(await store.verifyAudit("bolt")).toMatchObject({ ok: true, entries: 6 });
  });
});

it("the sweep leaves locked calls to its next pass instead of waiting for them", async () => {
  await using database = await freshPostgres(3);
  let offset = 0;
  const store = await openStore(database, () => offset);
  const calls = await proposeCall(store, { calls: 4 });
  for (const call of calls) await decide(store, call, 1);
  const [held, ...others] = calls;
  if (!held) throw new Error("unreachable");
  for (const { id } of calls) await store.claim(id, "once", () => undefined);
  offset += 61 * 60_000;
  const holder = await database.admin.reserve();
  await holder`begin`;
  await holder`select from countersign.approvals where id = ${held.id} for update`;
  expect(await store.sweep()).toMatchObject({ interrupted: others.length });
  await holder`commit`;
  holder.release();
  expect(await store.sweep()).toMatchObject({ interrupted: 1 });
  expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 20 });
});

it("verification succeeds while the log grows", async () => {
  await using database = await freshPostgres(5);
  const store = await openStore(database);
  let writing = true;
  const writers = [1, 2, 3].map(async (writer) => {
    for (let n = 0; n < 60; n++) {
      await store.recordNote({ tenantId: "acme", type: "call.refused", data: { writer, n } });
    }
  });
  const written = Promise.all(writers).then(() => {
    writing = false;
  });
  while (writing) expect(await store.verifyAudit("acme")).toMatchObject({ ok: true });
  await written;
  expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 180 });
});

it("a failed write leaves neither an entry nor a gap in the log", async () => {
  await using database = await freshPostgres(2);
  const store = await openStore(database);
  await smallLog(store, "acme");
  const data: Record<string, unknown> = {};
  data.self = data;
  await expect(store.recordNote({ tenantId: "acme", type: "call.refused", data })).rejects.toBeDefined();
  await store.recordNote({ tenantId: "acme", type: "call.refused", data: { n: 1 } });
  expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 7 });
});
