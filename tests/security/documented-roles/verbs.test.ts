import type { PrunedKind } from "@countersign/cli/operating";
import { afterAll, beforeAll, expect, it } from "vitest";
import { signer } from "../../support/evidence/past.js";
import { eventually } from "../../support/harness.js";
import {
  ada,
  bob,
  type DocumentedDesk,
  hour,
  openDocumentedDesk,
  operator,
} from "../../support/postgres/documented-desk.js";
import type { retentionVerbs, Store } from "../../support/store.js";

interface Use {
  /** Uses the verb as the documented role, so that it does all that it can do. */
  by(desk: DocumentedDesk): Promise<unknown> | unknown;
  /** The result, or a part of it. */
  gives?: unknown;
}

const tenantId = "acme";
const byTwo = { terms: { quorum: 2 } };
const subscription = (endpoint: string) => ({
  ...{ principalId: "ada", roles: [], endpoint: `https://push.example.com/${endpoint}` },
  keys: { p256dh: "key", auth: "secret" },
});
/** Each only once nothing needs it any more. */
const prunedKinds: Record<PrunedKind, true> = {
  ...{ requests: true, threads: true, grants: true, proofs: true, stops: true },
};
const entry = { runId: null, kind: "user" as const, key: "one", bodyJson: "{}" };
const action = { actionKind: "protected" as const, toolName: "refund" };
const confirmation = { principal: ada, action, origin: "runtime-ui-confirm" as const, ttlMs: 60_000 };
const limits = {
  ...{ denialsInARow: 3, pendingPerRun: 99, pendingPerThread: 99, pendingPerRequester: 99 },
  pendingPerTenant: 999,
};
const thread = async ({ store }: DocumentedDesk, id: string) => {
  await store.openThread({ tenantId, id, ownerId: "ada", runId: "run" });
  await store.appendEntries(tenantId, id, [entry]);
  return id;
};

/** Every verb. The types demand an entry for each, and a test compares them with those of the store and of retention. */
const verbs: Record<Exclude<keyof Store, "~countersign"> | keyof ReturnType<typeof retentionVerbs>, Use> = {
  // The database.
  migrate: { by: ({ store }) => store.migrate() },
  isMigrated: { by: ({ store }) => store.isMigrated(), gives: true },
  probeWrites: { by: ({ store }) => store.probeWrites() },
  now: { by: ({ store }) => store.now(), gives: expect.any(Date) },
  close: { by: ({ another }) => another().close() },
  // Requests.
  propose: {
    by: async ({ database, store, call, granted, countedBefore }) => {
      const counts = { queries: [{ counter: "many", windowMs: 24 * hour }], stand: () => true };
      await countedBefore("many", 101);
      const counted = await call({
        countedAs: [{ counter: "spent", amount: 80 }],
        counts,
        modelText: "I refund",
      });
      expect(await database.admin`select from countersign.counted_hours where amount = 101`).toHaveLength(1);
      const budget = { amount: "amount", total: 100, each: null, unit: null };
      const grant = await store.getGrant(ada, await granted({ uses: 1, budget }));
      const covered = {
        toolName: grant?.toolName ?? "",
        terms: { grantable: ["team" as const] },
        limits,
        signer,
      };
      return [counted, await call(covered), await call({ ...covered, about: "another" })];
    },
    gives: [{ status: "pending" }, { status: "approved" }, { status: "pending" }],
  },
  recordAllowed: {
    by: ({ store }) => store.recordAllowed({ tenantId, runId: "run", requestId: "req_allowed" }),
    gives: [],
  },
  readCounts: {
    by: ({ store }) => store.readCounts(tenantId, [{ counter: "nothing", windowMs: hour }]),
    gives: [0],
  },
  approvalsOf: { by: async ({ store, call }) => store.approvalsOf((await call()).requestId), gives: [{}] },
  readRequest: {
    by: async ({ store, call }) => store.readRequest((await call({ runId: "run" })).requestId),
    gives: { runId: "run" },
  },
  readModelText: {
    by: async ({ store, call }) => store.readModelText(tenantId, (await call({ modelText: "I" })).requestId),
    gives: "I",
  },
  announce: {
    by: async ({ store, call }) => store.announce((await call({ announce: false })).requestId),
    gives: [{ status: "pending" }],
  },
  settle: {
    by: async ({ store, call, decide }) => {
      const decided = await call();
      await decide(decided);
      return store.settle(decided.requestId, 0);
    },
    gives: { settled: true },
  },
  peek: { by: async ({ store, call }) => store.peek((await call()).requestId, 1), gives: { open: 1 } },
  withdrawRun: {
    by: async ({ store, call }) => {
      await call({ runId: "cancelled" });
      return store.withdrawRun("cancelled", "run_cancelled");
    },
    gives: [{}],
  },
  withdrawThread: {
    by: async (desk) => {
      await desk.call({ threadId: await thread(desk, "superseded") });
      return desk.store.withdrawThread(tenantId, "superseded", "another");
    },
    gives: [{}],
  },
  withdrawRequest: {
    by: async ({ store, call }) => store.withdrawRequest((await call()).requestId, "policy_changed"),
    gives: { open: 0, approvals: [{ status: "withdrawn" }] },
  },
  withdrawRestored: {
    by: async ({ store, call, decide }) => {
      await decide(await call({ runId: null }));
      return store.withdrawRestored(tenantId, "operator");
    },
    gives: expect.any(Number),
  },
  takeDueWakeUps: {
    by: async ({ database, store, call, decide }) => {
      const due = await call();
      await decide(due);
      await database.admin`update countersign.outbox set next_attempt_at = now() - interval '1 hour'`;
      // Some rows are so old that they are deleted instead.
      await database.admin`
        insert into countersign.outbox (request_id, tenant_id, created_at, attempts, next_attempt_at)
        values (${(await call()).requestId}, 'acme', now(), 1000, now() - interval '1 hour')`;
      return (await store.takeDueWakeUps(200)).some(({ requestId }) => requestId === due.requestId);
    },
    gives: true,
  },
  overdueUndos: {
    by: ({ store }) => store.overdueUndos({ appId: "desk", instanceId: "countersign" }),
    gives: [],
  },
  wakeUpsStillDue: {
    by: async ({ store, call, decide }) => {
      const { requestId, ...decided } = await call();
      await decide({ requestId, ...decided });
      return store.wakeUpsStillDue([requestId]);
    },
    gives: [{}],
  },
  sweep: {
    by: async ({ database, store, call }) => {
      const late = await call();
      const { admin } = database;
      await admin`update countersign.approvals set expires_at = now() - interval '1 hour' where id = ${late.id}`;
      await admin`insert into countersign.ended_runs values ('old', 'run_failed', now() - interval '1 year')`;
      await admin`insert into countersign.allowed_responses values ('old', 'acme', now() - interval '1 year')`;
      await admin`insert into countersign.failing_recipients
        values ('acme', 'gone', 'nobody', 'Nobody', now() - interval '1 year', now() - interval '1 year')`;
      await admin`insert into countersign.counted_hours (tenant_id, counter, hour)
        values ('acme', 'old', date_trunc('hour', now() - interval '33 days'))`;
      await store.sweep();
      expect(await admin`select from countersign.counted_hours where counter = 'old'`).toHaveLength(0);
      const tables = ["ended_runs where run_id", "allowed_responses where request_id"];
      for (const table of tables) {
        expect(await admin.unsafe(`select from countersign.${table} = 'old'`)).toHaveLength(0);
      }
      expect(await admin`select from countersign.failing_recipients where channel = 'gone'`).toHaveLength(0);
      return store.getApproval(tenantId, late.id);
    },
    gives: { status: "expired" },
  },
  // The engine.
  nameSecret: { by: ({ store }) => store.nameSecret(), gives: expect.any(String) },
  watchEngine: {
    by: async ({ store, call }) => {
      await call({ appId: "watched" });
      return store.watchEngine("watched");
    },
    gives: { runs: false },
  },
  recordAnswer: { by: ({ store }) => store.recordAnswer("watched", "canary") },
  replaceCanary: { by: ({ store }) => store.replaceCanary("watched", "canary", "successor") },
  forgetCanaries: { by: ({ store }) => store.forgetCanaries() },
  probeRuns: { by: ({ store }) => store.probeRuns("watched", "successor", { first: true }) },
  lostRuns: { by: ({ store }) => store.lostRuns("watched", "successor", { all: true }) },
  recordLost: { by: ({ store }) => store.recordLost("watched", 1) },
  engineHealth: { by: ({ store }) => store.engineHealth(), gives: { problems: expect.any(Array) } },
  // Approvals.
  decide: {
    by: async ({ call, decide }) => {
      const terms = {
        decisions: ["edit" as const],
        editable: ["*"],
        countedIn: [{ tool: "refund", amount: null, per: "all" }],
      };
      const edited = { inputJson: "{}", digest: "edited" };
      const counted = await call({ terms, countedAs: [{ counter: "spent", amount: 80 }] });
      expect(await decide(counted, "edit", { edited })).toMatchObject({ outcome: "decided" });
      const voted = await call(byTwo);
      expect(await decide(voted)).toMatchObject({ outcome: "voted" });
      return decide(voted, "approve", { principal: bob });
    },
    gives: { outcome: "decided" },
  },
  takeBack: {
    by: async ({ store, call, decide }) => {
      const voted = await call(byTwo);
      for (const _ of ["once", "again"]) {
        expect(await decide(voted)).toMatchObject({ outcome: "voted", approval: { votes: [{}] } });
        expect(await store.takeBack({ approvalId: voted.id, principal: ada })).toMatchObject({
          ...{ outcome: "taken_back", approval: { votes: [] } },
        });
      }
      const held = await call();
      await decide(held, "approve", { holdMs: 10_000 });
      return store.takeBack({ approvalId: held.id, principal: ada });
    },
    gives: { outcome: "taken_back", approval: { status: "pending", held: null } },
  },
  recordRefusal: {
    by: async ({ store, call }) => {
      const refused = { approvalId: (await call()).id, principal: ada, attempt: "decision" } as const;
      for (const _ of ["once", "again"])
        await store.recordRefusal({ ...refused, code: "not_editable" as never });
    },
  },
  assign: {
    by: async ({ store, call }) =>
      store.assign({ approvalId: (await call()).id, principal: ada, to: "bob", toName: "Bob" }, signer),
    gives: { outcome: "assigned" },
  },
  setViewing: {
    by: async ({ store, call }) => {
      const viewed = { approvalId: (await call()).id, principal: ada };
      await store.setViewing({ ...viewed, active: true });
      return store.setViewing({ ...viewed, active: false });
    },
    gives: { outcome: "noted" },
  },
  snooze: {
    by: async ({ store, call }) => {
      const snoozed = { approvalId: (await call()).id, principal: ada };
      await store.snooze({ ...snoozed, until: new Date(Date.now() + 60_000) });
      return store.snooze({ ...snoozed, until: null });
    },
    gives: { outcome: "snoozed" },
  },
  extend: {
    by: async ({ store, call }) =>
      store.extend({ approvalId: (await call()).id, principal: ada, byMs: 60_000 }),
    gives: { outcome: "extended" },
  },
  resolve: {
    by: async ({ store, interrupted }) => {
      const resolution = { principal: ada, outcome: "rerun", note: null } as const;
      const approvalId = (await interrupted({ input: { id: "run again" } })).id;
      return store.resolve({ ...resolution, approvalId }, signer);
    },
    gives: { outcome: "resolved" },
  },
  readReplacement: {
    by: async ({ store, call, decide }) => {
      const answered = await call({ terms: { decisions: ["respond"] } });
      await decide(answered, "respond", { responseJson: "1" });
      return store.readReplacement(answered.id);
    },
    gives: { responseJson: "1" },
  },
  claim: {
    by: async ({ store, call, decide }) => {
      const approved = await call();
      await decide(approved);
      return store.claim(approved.id, "once", () => undefined, signer);
    },
    gives: { outcome: "claimed" },
  },
  readAsSigned: {
    by: async ({ store, executed }) => store.readAsSigned(tenantId, (await executed()).id, undefined),
    gives: { status: "executed" },
  },
  finish: {
    by: async ({ store, call, undoOf }) => {
      const ends = async ({ id }: { id: string }) => {
        await store.claim(id, "once", () => undefined);
        return store.finish(id, { status: "executed", outcomeJson: "{}" });
      };
      const undone = await call({ verdict: "notify" });
      await ends(undone);
      return ends(await undoOf(undone));
    },
    gives: { status: "executed" },
  },
  // Lists.
  getApproval: { by: async ({ store, call }) => store.getApproval(tenantId, (await call()).id), gives: {} },
  listApprovals: {
    by: async ({ store, call }) => {
      await call();
      return (await store.listApprovals({ tenantId, visibleTo: ada, limit: 10 })).length > 0;
    },
    gives: true,
  },
  countApprovals: {
    by: ({ store }) => store.countApprovals({ tenantId, visibleTo: ada, decidedAfter: new Date(0) }),
    gives: { decidedByYou: expect.any(Number) },
  },
  listFacets: {
    by: ({ store }) => store.listFacets({ tenantId, list: { name: "waiting", of: ada } }),
    gives: { found: expect.any(Number) },
  },
  sameCalls: {
    by: async ({ store, executed }) => {
      const input = { id: "twice" };
      const earlier = await executed({ input, about: "the same" });
      const [again] = await store.approvalsOf((await executed({ input, about: "the same" })).requestId);
      if (!again) throw new Error("unreachable");
      return (await store.sameCalls(again, ada)).map(({ approvalId }) => approvalId === earlier.id);
    },
    gives: [true],
  },
  similarCalls: { by: async ({ store, call }) => store.similarCalls(await call(), ada, 10) },
  threadsChangedSince: { by: ({ store }) => store.threadsChangedSince(tenantId, 0), gives: {} },
  readInsight: { by: ({ store }) => store.readInsight({ tenantId, days: 30, limit: 10 }), gives: {} },
  listDecided: { by: ({ store }) => store.listDecided({ tenantId, days: 30, limit: 10 }) },
  statistics: { by: ({ store }) => store.statistics(), gives: {} },
  // Evidence.
  readEvidence: {
    by: async ({ store, started }) => store.readEvidence(tenantId, (await started()).id),
    gives: { decision: "approve" },
  },
  recordConfirmation: {
    by: ({ store }) => store.recordConfirmation(confirmation, signer),
    gives: { principalId: "ada" },
  },
  consumeConfirmation: {
    by: async ({ store }) => {
      const { id, createdAt, expiresAt } = await store.recordConfirmation(confirmation, signer);
      const times = { createdAtIso: createdAt.toISOString(), expiresAtIso: expiresAt.toISOString() };
      const presented = { ...action, id, origin: confirmation.origin, trusted: true as const, ...times };
      return store.consumeConfirmation({ tenantId, presented, action }, signer);
    },
    gives: { ok: true },
  },
  // Grants and stops.
  listGrants: { by: ({ store }) => store.listGrants({ tenantId, visibleTo: ada, live: true, limit: 10 }) },
  getGrant: { by: async ({ store, granted }) => store.getGrant(ada, await granted()), gives: {} },
  revokeGrant: {
    by: async ({ store, granted }) => store.revokeGrant(ada, await granted()),
    gives: { outcome: "revoked" },
  },
  engageStop: {
    by: async ({ store }) => {
      await store.engageStop({ tenantId: null, tool: "no_such_tool", reason: "Test", by: operator });
      return store.engageStop({ tenantId, tool: "no_such_tool", reason: "Test", by: operator });
    },
    gives: { engagedBy: "operator" },
  },
  releaseStop: {
    by: async ({ store }) => {
      const engaged = { tenantId, tool: "released", reason: "Test", by: operator };
      const { id } = await store.engageStop(engaged);
      return store.releaseStop({ id, tenantId, reason: "Over", by: operator });
    },
    gives: { outcome: "released" },
  },
  listStops: { by: ({ store }) => store.listStops({ tenantId, limit: 10 }) },
  recentTools: { by: ({ store }) => store.recentTools(null) },
  engagedStops: { by: ({ store }) => store.engagedStops() },
  // The audit log.
  recordNote: { by: ({ store }) => store.recordNote({ tenantId, type: "call.refused", data: {} }) },
  auditTrail: {
    by: async ({ store, call }) => store.auditTrail(tenantId, (await call()).id),
    gives: [{}, {}],
  },
  listAudit: { by: ({ store }) => store.listAudit({ tenantId, principal: ada, limit: 1 }), gives: [{}] },
  auditedTenants: { by: ({ store }) => store.auditedTenants(), gives: expect.arrayContaining([tenantId]) },
  auditPosition: { by: ({ store }) => store.auditPosition(tenantId), gives: expect.any(Number) },
  verifyAudit: { by: ({ retention }) => retention.store.verifyAudit("another"), gives: { ok: true } },
  exportAudit: {
    by: async ({ store }) => {
      for await (const line of store.exportAudit(tenantId, { format: "jsonl" })) return line;
    },
    gives: expect.any(String),
  },
  observe: { by: ({ store }) => store.observe(() => {})() },
  unpublishedTenants: {
    by: ({ store }) => store.unpublishedTenants(10),
    gives: expect.arrayContaining([tenantId]),
  },
  readUnpublished: { by: ({ store }) => store.readUnpublished(tenantId, 10), gives: {} },
  markPublished: { by: ({ store }) => store.markPublished(tenantId, 1) },
  onTransitions: { by: ({ store }) => store.onTransitions(() => {})() },
  subscribe: { by: async ({ store }) => (await store.subscribe(tenantId, () => {}))() },
  // Threads.
  openThread: {
    by: ({ store }) => store.openThread({ tenantId, id: "opened", ownerId: "ada", runId: null }),
    gives: { id: "opened" },
  },
  beginTurn: {
    by: async (desk) => {
      const threadId = await thread(desk, "turn");
      return desk.store.beginTurn({ tenantId, threadId, runId: "run", key: "two", bodyJson: "{}" });
    },
    gives: { isNew: true },
  },
  endThread: { by: async (desk) => desk.store.endThread(tenantId, await thread(desk, "ended"), null) },
  getThread: {
    by: async (desk) => desk.store.getThread(tenantId, await thread(desk, "got")),
    gives: { id: "got" },
  },
  listThreads: { by: ({ store }) => store.listThreads({ tenantId, ownerId: "ada", limit: 10 }) },
  pageOfThreads: {
    by: ({ store }) => store.pageOfThreads({ tenantId, ownerId: "ada", limit: 10, offset: 0 }),
    gives: {},
  },
  waitingThreads: { by: ({ store }) => store.waitingThreads(tenantId, ["thread"]), gives: expect.any(Set) },
  appendEntries: {
    by: async (desk) => {
      const id = await thread(desk, "appended");
      await desk.store.appendEntries(tenantId, id, [{ ...entry, key: "two", kind: "result" }]);
      return desk.store.readConversation({ tenantId, threadId: id, limit: 10 });
    },
    gives: { entries: [{}, {}] },
  },
  readConversation: {
    by: ({ store }) => store.readConversation({ tenantId, threadId: "thread", limit: 10, forRun: "run" }),
    gives: {},
  },
  readMessageBefore: { by: ({ store }) => store.readMessageBefore(tenantId, "thread", 1) },
  callsOfEntries: {
    by: ({ store }) =>
      store.callsOfEntries({ tenantId, threadId: "thread", requestIds: ["r"], toolCallIds: ["c"] }),
  },
  hiddenInThread: { by: ({ store }) => store.hiddenInThread(tenantId, "thread"), gives: {} },
  // What people keep.
  getPreferences: { by: ({ store }) => store.getPreferences(tenantId, "nobody"), gives: null },
  setPreferences: {
    by: async ({ store }) => {
      for (const theme of ["dark", "light"]) await store.setPreferences(tenantId, "ada", { theme });
      return store.getPreferences(tenantId, "ada");
    },
    gives: { theme: "light" },
  },
  savePushSubscription: {
    by: async ({ store }) => {
      // The oldest subscriptions above 20 of a person are deleted.
      for (let browser = 0; browser < 22; browser++)
        await store.savePushSubscription(tenantId, subscription(String(browser)));
      return (await store.listPushSubscriptions(tenantId)).length;
    },
    gives: 20,
  },
  listPushSubscriptions: { by: ({ store }) => store.listPushSubscriptions(tenantId, "nothing"), gives: [] },
  deletePushSubscription: {
    by: async ({ store }) => {
      const { endpoint, principalId } = subscription("deleted");
      await store.savePushSubscription("deleted", subscription("deleted"));
      await store.deletePushSubscription("deleted", { principalId, endpoint });
      return store.listPushSubscriptions("deleted");
    },
    gives: [],
  },
  // Messages of channels.
  claimDelivery: { by: async ({ call, delivery }) => delivery(await call()), gives: { channel: "test" } },
  endAttempt: {
    by: async ({ store, call, delivery }) => {
      const failed = { end: "failed", error: "gone", retryInMs: 1, uncertain: false } as const;
      await store.endAttempt(await delivery(await call()), failed);
      const sent = { end: "sent", reference: { id: "1" }, wakes: "channel" } as const;
      return store.endAttempt(await delivery(await call()), sent);
    },
    gives: { againInMs: null },
  },
  fanOut: {
    by: async ({ store, call, delivery }) => {
      const recipients = [{ id: "one", label: "One" }];
      return store.fanOut(await delivery(await call()), { recipients, mode: "card", andEarlier: true });
    },
    gives: [expect.any(String)],
  },
  overdueDeliveries: { by: ({ store }) => store.overdueDeliveries(["test"], 10) },
  failUnclaimed: {
    by: async ({ database, store, call }) => {
      const old = await call({ notify: ["gone"] });
      await database.admin`
        update countersign.deliveries set next_attempt_at = now() - interval '1 year' where approval_id = ${old.id}`;
      await store.failUnclaimed(["test"]);
      return store.listDeliveries(tenantId, old.id);
    },
    gives: [{ state: "failed" }],
  },
  listDeliveries: {
    by: async ({ store, call }) => store.listDeliveries(tenantId, (await call()).id),
    gives: [{}],
  },
  findDeliveries: { by: ({ store }) => store.findDeliveries({ tenantId: null, state: "due", limit: 10 }) },
  replayDelivery: {
    by: async ({ store, call, delivery }) => {
      const claimed = await delivery(await call());
      await store.endAttempt(claimed, { end: "failed", error: "gone", retryInMs: null, uncertain: false });
      return store.replayDelivery({ tenantId, by: operator, deliveryId: claimed.id });
    },
    gives: { state: "due" },
  },
  onDue: { by: ({ store }) => store.onDue(() => {})() },
  readForCard: { by: async ({ store, call }) => store.readForCard(tenantId, (await call()).id), gives: {} },
  withVerbs: {
    by: ({ store }) => store.withVerbs(() => ({ twice: async (one: number) => 2 * one })).twice(2),
    gives: 4,
  },
  // Retention, with the role that it has.
  retainedTenants: {
    by: ({ retention }) => retention.retainedTenants(),
    gives: expect.arrayContaining([tenantId]),
  },
  pruneBatch: {
    by: async ({ oldData, retention }) => {
      const before = new Date(Date.now() - 31 * 24 * hour);
      const batch = { tenantId: "old", before, limit: 500, dryRun: false, by: null };
      await oldData("old");
      const removed: Record<string, number> = {};
      for (const kind of Object.keys(prunedKinds) as PrunedKind[])
        Object.assign(removed, (await retention.pruneBatch({ ...batch, kind })).removed);
      return removed;
    },
    // Every table from which it may delete. Only tables with deleted rows are named.
    gives: Object.fromEntries(
      [
        ...[
          "requests",
          "approvals",
          "votes",
          "counted_calls",
          "viewers",
          "snoozes",
          "refusals",
          "deliveries",
        ],
        ...["evidence", "threads", "thread_entries", "grants", "stops"],
      ].map((table) => [table, expect.any(Number)]),
    ),
  },
  sealablePart: {
    by: async ({ oldLog }) => oldLog("sealable"),
    gives: { lastPosition: 1 },
  },
  sealPart: {
    by: async ({ oldLog, retention }) =>
      retention.sealPart({ tenantId: "sealed", part: await oldLog("sealed"), by: null }, signer),
    gives: { firstPosition: 1 },
  },
  deleteSealed: {
    by: async ({ oldLog, retention }) => {
      await retention.sealPart({ tenantId: "gone", part: await oldLog("gone"), by: null });
      return retention.deleteSealed({ tenantId: "gone", limit: 1 });
    },
    gives: 1,
  },
  forgetPerson: {
    by: async ({ store, retention }) => {
      await store.setPreferences(tenantId, "eve", {});
      return retention.forgetPerson({ tenantId, personId: "eve", by: null });
    },
    gives: { preferences: 1 },
  },
  keptOf: { by: ({ retention }) => retention.keptOf(tenantId, "ada"), gives: { votes: expect.any(Number) } },
};

let desk: DocumentedDesk;
beforeAll(async () => {
  desk = await openDocumentedDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());

it("the table has every verb of the store, and of retention", () => {
  const { store, ...retention } = desk.retention;
  expect(Object.keys(verbs).sort()).toEqual([...Object.keys(store), ...Object.keys(retention)].sort());
});

it.each(Object.entries(verbs))("the documented role may use %s", async (_, { by, gives }) => {
  const got = await by(desk);
  if (gives === undefined || typeof gives !== "object" || gives === null) expect(got).toEqual(gives ?? got);
  else expect({ got }).toMatchObject({ got: gives });
});

/** What makes the roles call each function of the schema. Those that only refuse are called in least-privilege.test.ts. */
const sqlFunctions = {
  append_to_audit_log: "called",
  apply_changes: "called",
  budget_used: "called",
  count_in_turn: "called",
  counted_parts: "called",
  discard_hours: "called",
  engaged_stops: "called",
  enter_scope: "called",
  live_grants: "called",
  logged_uses: "called",
  proposal_facts: "called",
  read_all: "called",
  read_call: "called",
  read_calls: "called",
  read_decision: "called",
  read_proposal: "called",
  read_request: "called",
  read_unpublished: "called",
  refuse_change_of_audit_log: "refuses",
  refuse_change_of_stops: "refuses",
  refuse_head_without_entry: "called",
  refuse_other_time: "refuses",
  refuse_stop_without_entry: "called",
  refuse_unsealed_deletion: "called",
  refuse_wrong_segment: "called",
  stop_counting: "called",
  times_of: "called",
  trail_of: "called",
  waiting_calls: "called",
  write_changes: "called",
};

it("the roles' verbs call every function of the schema that does not only refuse", async () => {
  const { admin } = desk.database;
  const all = await admin<{ name: string }[]>`
    select proname as name from pg_proc where pronamespace = 'countersign'::regnamespace order by proname`;
  expect(all.map(({ name }) => name)).toEqual(Object.keys(sqlFunctions));
  // A connection reports what it has called when it ends.
  await Promise.all([desk.store.close(), desk.retention.store.close()]);
  const called = Object.entries(sqlFunctions).flatMap(([name, use]) => (use === "called" ? name : []));
  await eventually(
    async () => {
      const stats = await admin<{ name: string }[]>`
      select distinct funcname as name from pg_stat_user_functions
      where schemaname = 'countersign' and calls > 0 order by 1`;
      const names = stats.map(({ name }) => name);
      return called.every((name) => names.includes(name)) ? true : undefined;
    },
    called.join(", "),
    20_000,
  );
});
