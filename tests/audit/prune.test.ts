import { type PruneOptions, prune } from "@countersign/cli/operating";
import { createCountersign, definePolicy } from "countersign";
import { Inngest } from "inngest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../support/audit-log.js";
import { everyDatabase, freshPostgres, type TestDatabase } from "../support/databases.js";
import {
  approvedCall,
  endDeliveries,
  executedCall,
  interruptedCall,
  oneCall,
  openPast,
  type Past,
  personOf,
  rowCounts,
  signer,
} from "../support/evidence/past.js";
import { interceptedRetention } from "../support/intercepted-store.js";
import { postgresStore, type Store } from "../support/store.js";

const halfYear = { olderThan: "180d" } as const;

/** Writes one ended row of each kind that a tenant can have. */
async function writeOneOfEach(store: Store, tenantId: string, name: string): Promise<void> {
  const thread = { tenantId, id: `thread-${name}`, ownerId: "requester", runId: null };
  await store.openThread(thread);
  await store.appendEntries(tenantId, thread.id, [
    { runId: null, kind: "user", key: "1", bodyJson: JSON.stringify({ id: "1", content: "Hello" }) },
  ]);
  await store.endThread(tenantId, thread.id, null);
  const person = personOf(tenantId);
  const call = await oneCall(store, { tenantId, threadId: thread.id, terms: { quorum: 2, denials: 2 } });
  await store.setViewing({ approvalId: call.id, principal: person, active: true });
  const until = new Date((await store.now()).getTime() + 60_000);
  await store.snooze({ approvalId: call.id, principal: person, until });
  await store.recordRefusal({
    attempt: "decision",
    approvalId: call.id,
    principal: person,
    code: "invalid_edit",
  });
  const vote = { approvalId: call.id, digest: call.digest, reason: null } as const;
  await store.decide({ ...vote, principal: person, type: "deny" }, signer);
  await store.decide({ ...vote, principal: personOf(tenantId, "bob"), type: "deny" }, signer);
  await store.settle(call.requestId, 0);
  await endDeliveries(store, await executedCall(store, { tenantId, threadId: thread.id, notify: ["test"] }));
  const counted = { countedAs: [{ counter: "refunds", amount: 80 }] };
  const granted = await oneCall(store, { tenantId, terms: { grantable: ["team"] }, ...counted });
  const grant = {
    scope: "team",
    inputHash: null,
    condition: null,
    authorSeesAll: false,
    uses: 1,
    budget: null,
  } as const;
  await store.decide(
    {
      ...{ approvalId: granted.id, principal: person, digest: granted.digest, reason: null },
      ...{ type: "approve", grant: { ...grant, lifetimeMs: 60_000 } },
    },
    signer,
  );
  await store.settle(granted.requestId, 0);
  await store.claim(granted.id, "once", () => undefined, signer);
  await store.finish(granted.id, { status: "failed", outcomeJson: "{}" });
  const action = { actionKind: "destructive", toolName: "erase" } as const;
  await store.recordConfirmation(
    { principal: person, action, origin: "runtime-ui-confirm", ttlMs: 60_000 },
    signer,
  );
  const stop = await store.engageStop({ tenantId, tool: name, reason: "Why", by: person });
  await store.releaseStop({ id: stop.id, tenantId, reason: "Over", by: person });
}

/** Tables that ages do not bound: they have one row per tenant, person or app, or the sweep, the relay and new rows bound them. */
const boundedOtherwise = [
  "audit_heads",
  "preferences",
  "push_subscriptions",
  "engine_watch",
  "installation",
  "allowed_responses",
  "counted_hours",
  "ended_runs",
  "failing_recipients",
  "outbox",
];

describe.each(everyDatabase)("prune on $name", ({ name, open }) => {
  let database: TestDatabase;
  let past: Past;
  let store: Store;

  beforeAll(async () => {
    database = await open();
    past = await openPast(database);
    store = past.store;
  });
  afterAll(async () => {
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  /** What a run removes of a tenant. */
  const removedOf = async (tenantId: string, olderThan: PruneOptions["olderThan"] = "180d") =>
    (await prune({ store, signer }, { tenantId, olderThan })).removed;

  it("removes all old rows and keeps all recent ones in every bounded table", async () => {
    for (const days of [900, 800, 700])
      await past.daysAgo(days, () => writeOneOfEach(store, "acme", `old-${days}`));
    const old = await rowCounts(database, "acme");
    await writeOneOfEach(store, "acme", "fresh");
    const full = await rowCounts(database, "acme");
    const report = await prune(
      { store, signer },
      {
        olderThan: {
          ...{ requests: "180d", threads: "180d", grants: "180d", proofs: "180d" },
          stops: "180d",
        },
      },
    );
    const left = await rowCounts(database, "acme");
    const bounded = Object.keys(left).filter(
      (table) => !boundedOtherwise.includes(table) && !table.startsWith("audit_"),
    );
    expect(bounded.length).toBeGreaterThan(9);
    for (const table of bounded) {
      const fresh = (full[table] ?? 0) - (old[table] ?? 0);
      expect(fresh, table).toBeGreaterThan(0);
      expect([table, old[table]]).toEqual([table, 3 * fresh]);
      expect([table, left[table]]).toEqual([table, fresh]);
      expect([table, report.removed[table]]).toEqual([table, 3 * fresh]);
    }
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, deleted: 9 });
  });

  it("keeps pending, approved, executing and interrupted calls, and what their runs may still need", async () => {
    const tenantId = "alive";
    const { waiting, executing, interrupted, approved, ofRun, ofChild } = await past.daysAgo(
      700,
      async () => {
        const live = await oneCall(store, { tenantId, timeoutMs: 365 * 86_400_000, runId: "long" });
        const started = await approvedCall(store, { tenantId });
        await store.claim(started.id, "durable", () => undefined, signer);
        const child = await oneCall(store, { tenantId, runId: "child", timeoutMs: 365 * 86_400_000 });
        await runSql(
          database,
          `update countersign.requests set parent_run_id = 'parent' where run_id = 'child'`,
        );
        return {
          waiting: [live, child, await oneCall(store, { tenantId, announce: false })],
          executing: started,
          interrupted: await interruptedCall(store, { tenantId }),
          approved: await approvedCall(store, { tenantId }),
          ofRun: await executedCall(store, { tenantId, runId: "long" }),
          ofChild: await executedCall(store, { tenantId, runId: "parent" }),
        };
      },
    );
    const kept = [...waiting, executing, interrupted, approved, ofRun, ofChild];
    const over = await past.daysAgo(700, () => executedCall(store, { tenantId }));
    const fresh = await executedCall(store, { tenantId });
    expect(await removedOf(tenantId)).toMatchObject({
      requests: 1,
      approvals: 1,
    });
    expect(await store.getApproval(tenantId, over.id)).toBeUndefined();
    for (const { id } of [...kept, fresh])
      expect(await store.getApproval(tenantId, id)).toMatchObject({ id });
    const resolution = { approvalId: interrupted.id, principal: personOf(tenantId), note: null } as const;
    expect((await store.resolve({ ...resolution, outcome: "failed" })).outcome).toBe("resolved");
    expect(await removedOf(tenantId)).not.toHaveProperty("approvals");
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, deleted: 1 });
  });

  it("keeps a request until its deliveries have ended", async () => {
    const tenantId = "delivering";
    const call = await past.daysAgo(700, () => executedCall(store, { tenantId, notify: ["test"] }));
    expect(await removedOf(tenantId)).not.toHaveProperty("approvals");
    await endDeliveries(store, call);
    expect(await removedOf(tenantId)).toMatchObject({
      approvals: 1,
      deliveries: 4,
    });
  });

  it("keeps a request whose wake-up is due, and a thread with a pending call", async () => {
    const tenantId = "waking";
    const { undelivered, thread } = await past.daysAgo(700, async () => {
      const call = await oneCall(store, { tenantId });
      await store.decide({
        approvalId: call.id,
        principal: personOf(tenantId),
        type: "deny",
        digest: call.digest,
        reason: null,
      });
      await store.openThread({ tenantId, id: "waits", ownerId: "requester", runId: null });
      await store.endThread(tenantId, "waits", null);
      await oneCall(store, { tenantId, threadId: "waits", timeoutMs: 365 * 86_400_000 });
      return { undelivered: call, thread: "waits" };
    });
    expect(await removedOf(tenantId)).toEqual({});
    expect(await store.getApproval(tenantId, undelivered.id)).toBeDefined();
    expect(await store.getThread(tenantId, thread)).toBeDefined();
  });

  it("keeps evidence until it has expired, even after its request is removed", async () => {
    const tenantId = "proving";
    const call = await past.daysAgo(20, () => executedCall(store, { tenantId }));
    expect(await removedOf(tenantId, "10d")).toEqual({
      approvals: 1,
      requests: 1,
    });
    expect(await store.readEvidence(tenantId, call.id)).toMatchObject({ approvalId: call.id });
    const later = await past.daysAgo(-60, () => removedOf(tenantId, "10d"));
    expect(later).toEqual({ evidence: 1 });
  });

  it("keeps a revoked grant until it has expired", async () => {
    const tenantId = "granting";
    await past.daysAgo(60, async () => {
      const call = await oneCall(store, { tenantId, terms: { grantable: ["team"] } });
      const grant = {
        scope: "team",
        inputHash: null,
        condition: null,
        authorSeesAll: false,
        uses: null,
        budget: null,
      } as const;
      const decision = {
        approvalId: call.id,
        principal: personOf(tenantId),
        digest: call.digest,
        reason: null,
      };
      await store.decide({ ...decision, type: "approve", grant: { ...grant, lifetimeMs: 90 * 86_400_000 } });
      const [given] = await store.listGrants({ tenantId, limit: 1 });
      await store.revokeGrant(personOf(tenantId), given?.id ?? "");
    });
    expect(await removedOf(tenantId, { grants: "1d" })).toEqual({});
    const later = await past.daysAgo(-60, () => removedOf(tenantId, { grants: "1d" }));
    expect(later).toEqual({ grants: 1 });
  });

  it("changes nothing in a dry run, and reports what a real run removes", async () => {
    const tenantId = "dry";
    await past.daysAgo(700, () => writeOneOfEach(store, tenantId, "old"));
    const before = await rowCounts(database, tenantId);
    const planned = await prune({ store, signer }, { ...halfYear, tenantId, dryRun: true });
    expect(await rowCounts(database, tenantId)).toEqual(before);
    expect(planned.removed.approvals).toBe(3);
    expect(await removedOf(tenantId)).toEqual(planned.removed);
  });

  it("removes only the rows of the tenant that is named", async () => {
    for (const tenantId of ["here", "there"]) {
      await past.daysAgo(700, () => writeOneOfEach(store, tenantId, "old"));
    }
    const [here, there] = [await rowCounts(database, "here"), await rowCounts(database, "there")];
    const removed = await removedOf("here");
    for (const [table, count] of Object.entries(removed))
      expect([table, count]).toEqual([table, here[table]]);
    expect(await rowCounts(database, "there")).toEqual(there);
    expect(await removedOf("there")).toEqual(removed);
    expect(await store.verifyAudit("there")).toMatchObject({ ok: true, deleted: 3 });
  });

  it("leaves complete requests when it fails between two batches, and removes them later", async () => {
    const tenantId = "broken";
    await past.daysAgo(700, async () => {
      for (let n = 0; n < 5; n++) await executedCall(store, { tenantId, calls: 1 });
    });
    let batches = 0;
    const breaking = interceptedRetention(store, {
      pruneBatch: async (carryOut, batch) => {
        batches += 1;
        if (batches === 3) throw new Error("killed");
        return carryOut(batch);
      },
    });
    await expect(prune({ store: breaking, signer }, { ...halfYear, tenantId, batchSize: 2 })).rejects.toThrow(
      "killed",
    );
    const left = await rowCounts(database, tenantId);
    expect(left).toMatchObject({ requests: 1, approvals: 1 });
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, deleted: 4 });
    const pruned = (await store.listAudit({ tenantId })).filter(({ type }) => type === "retention.pruned");
    expect(pruned.map(({ data }) => data.removed)).toEqual([
      { evidence: 2, approvals: 2, requests: 2 },
      { evidence: 2, approvals: 2, requests: 2 },
    ]);
    expect(await removedOf(tenantId)).toMatchObject({
      requests: 1,
      approvals: 1,
    });
  });

  it.skipIf(name === "PGlite")("removes each row once when several runs overlap", async () => {
    const tenantId = "overlap";
    await past.daysAgo(700, async () => {
      for (let n = 0; n < 12; n++) await executedCall(store, { tenantId });
      for (let n = 0; n < 3; n++) await writeOneOfEach(store, tenantId, `old-${n}`);
    });
    const all = await rowCounts(database, tenantId);
    const reports = await Promise.all(
      [1, 2, 3].map(() => prune({ store, signer }, { ...halfYear, tenantId, batchSize: 2 })),
    );
    const sum = (table: string) => reports.reduce((total, { removed }) => total + (removed[table] ?? 0), 0);
    for (const table of ["requests", "approvals", "votes", "threads", "thread_entries", "grants", "stops"]) {
      expect([table, sum(table)]).toEqual([table, all[table]]);
    }
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, deleted: 21 });
  });
});

it("prune skips a locked request instead of waiting for it", async () => {
  await using database = await freshPostgres();
  const past = await openPast(database);
  const [locked, free] = await past.daysAgo(700, async () => [
    await executedCall(past.store),
    await executedCall(past.store),
  ]);
  await database.admin.begin(async (sql) => {
    await sql`select from countersign.requests where id = ${locked?.requestId ?? ""} for update`;
    expect((await prune({ store: past.store, signer }, halfYear)).removed).toMatchObject({ requests: 1 });
  });
  expect(await past.store.getApproval("acme", free?.id ?? "")).toBeUndefined();
  expect((await prune({ store: past.store, signer }, halfYear)).removed).toMatchObject({ requests: 1 });
  await past.store.close();
});

it.each([
  [{ olderThan: "5h" }, "olderThan"],
  [{ olderThan: "soon" }, "olderThan"],
  [{ olderThan: "180" }, "olderThan"],
  [{ olderThan: { requests: "0d" } }, "olderThan.requests"],
  [{ olderThan: { audit: "29d" } }, "olderThan.audit"],
  [{ olderThan: { messages: "1y" } }, "olderThan"],
  [{ olderThan: "180d", batchSize: 0 }, "batchSize"],
])("prune refuses %j and names the field", async (options, field) => {
  const store = postgresStore({ url: "postgres://127.0.0.1/unused" });
  const inngest = new Inngest({ id: "retention", isDev: true });
  const countersign = createCountersign({ inngest, store, policy: definePolicy({ tools: {} }) });
  await expect(prune(countersign, options as never)).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringMatching(new RegExp(`^${field}:`)),
  });
  await store.close();
});

it("prune refuses a store without a signer, as segments would be sealed unsigned", async () => {
  const store = postgresStore({ url: "postgres://127.0.0.1/unused" });
  await expect(prune({ store } as never, { olderThan: "180d" })).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringMatching(/^countersign: must be an instance .* or \{ store, signer \}$/),
  });
  await store.close();
});
