import type { Approval } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { withoutTenantFilters } from "../support/postgres/without-tenant-filters.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, retentionVerbs, type Store } from "../support/store.js";

/** Verbs that work across all tenants, and never on behalf of a person or a client. */
type SystemVerb =
  | "migrate"
  | "isMigrated"
  | "probeWrites"
  | "statistics"
  // Returns the time.
  | "now"
  // Reports types and codes only.
  | "observe"
  | "close"
  // Names deliveries that are due.
  | "onDue"
  // For the sender, which works for every tenant.
  | "claimDelivery"
  | "endAttempt"
  | "fanOut"
  | "overdueDeliveries"
  | "failUnclaimed"
  // For the sender of public events, which works for every tenant.
  | "onTransitions"
  | "unpublishedTenants"
  | "readUnpublished"
  | "markPublished"
  | "readReplacement"
  | "approvalsOf"
  | "readRequest"
  | "announce"
  | "settle"
  | "peek"
  | "claim"
  | "finish"
  | "withdrawRun"
  | "withdrawRequest"
  | "takeDueWakeUps"
  | "wakeUpsStillDue"
  | "overdueUndos"
  | "nameSecret"
  | "forgetCanaries"
  | "watchEngine"
  | "recordAnswer"
  | "replaceCanary"
  | "probeRuns"
  | "lostRuns"
  | "recordLost"
  | "engineHealth"
  | "sweep"
  | "auditedTenants"
  | "retainedTenants"
  // Verbs of other packages, which are below.
  | "withVerbs"
  // For the hook, which picks the stops of its tenant.
  | "engagedStops"
  // Listens on a channel, and reads no row.
  | "subscribe";

interface Case {
  /** Uses the verb as a stranger, on a row of another tenant. */
  use(store: Store, stranger: string, owned: Approval): Promise<unknown>;
  /** The result for a tenant that has nothing. */
  nothing: unknown;
  /** Why the verb is safe even without row-level security and without its filter. */
  harmless?: string;
}

const hour = 3_600_000;
const strangerOf = (tenantId: string) => ({ id: "stranger", tenantId, roles: ["finance"] });
const signer = createEvidenceSigner("a-secret-of-at-least-thirty-two-bytes");
const action = { actionKind: "protected" as const, toolName: "refund" };
const subscription = { principalId: "owner", roles: [], keys: { p256dh: "key", auth: "secret" } };
const entry = { runId: null, kind: "user" as const, key: "mine", bodyJson: "{}" };

type Verb = keyof Store | keyof ReturnType<typeof retentionVerbs>;

const cases: Record<Exclude<Verb, SystemVerb | "~countersign">, Case> = {
  getApproval: {
    use: (store, stranger, { id }) => store.getApproval(stranger, id),
    nothing: undefined,
  },
  readAsSigned: {
    use: (store, stranger, { id }) => store.readAsSigned(stranger, id, undefined),
    nothing: undefined,
  },
  readCounts: {
    use: (store, stranger) => store.readCounts(stranger, [{ counter: "spent", windowMs: hour }]),
    nothing: [0],
  },
  readModelText: {
    use: (store, stranger, { requestId }) => store.readModelText(stranger, requestId),
    nothing: null,
  },
  listApprovals: {
    use: (store, tenantId) => store.listApprovals({ tenantId, limit: 10 }),
    nothing: [],
  },
  listFacets: {
    use: (store, tenantId) =>
      store.listFacets({ tenantId, list: { name: "for_you", of: strangerOf(tenantId) } }),
    nothing: { found: 0, risks: [], tools: [], requesters: [] },
  },
  similarCalls: {
    use: (store, tenantId, owned) =>
      store.similarCalls({ ...owned, tenantId, id: "another" }, strangerOf(tenantId), 10),
    nothing: [],
  },
  readInsight: {
    use: (store, tenantId) => store.readInsight({ tenantId, days: 30, limit: 10 }),
    nothing: { asked: 0, more: false, rules: [], approvers: [] },
  },
  listDecided: {
    use: (store, tenantId) => store.listDecided({ tenantId, days: 30, limit: 10 }),
    nothing: [],
  },
  threadsChangedSince: {
    use: (store, tenantId) => store.threadsChangedSince(tenantId, 0),
    nothing: { threadIds: [], position: 0 },
  },
  readForCard: {
    use: (store, stranger, { id }) => store.readForCard(stranger, id),
    nothing: undefined,
  },
  listDeliveries: {
    use: (store, stranger, { id }) => store.listDeliveries(stranger, id),
    nothing: [],
  },
  replayDelivery: {
    use: async (store, stranger, { id, tenantId }) => {
      const [delivery] = await store.listDeliveries(tenantId, id);
      return store.replayDelivery({
        ...{ tenantId: stranger, by: strangerOf(stranger), deliveryId: delivery?.id ?? "" },
      });
    },
    nothing: undefined,
  },
  findDeliveries: {
    use: (store, tenantId, { id }) => store.findDeliveries({ tenantId, approvalId: id, limit: 10 }),
    nothing: [],
  },
  listGrants: {
    use: (store, tenantId) => store.listGrants({ tenantId, limit: 10 }),
    nothing: [],
  },
  getGrant: {
    use: (store, stranger, { grantId }) => store.getGrant(strangerOf(stranger), grantId ?? ""),
    nothing: undefined,
  },
  revokeGrant: {
    use: (store, stranger, { grantId }) => store.revokeGrant(strangerOf(stranger), grantId ?? ""),
    nothing: { outcome: "not_found" },
  },
  engageStop: {
    use: async (store, tenantId) =>
      (await store.engageStop({ tenantId, tool: "none", reason: "Mine", by: strangerOf(tenantId) })).tenantId,
    nothing: expect.stringContaining("stranger"),
    harmless: "it only adds a row of the caller's tenant",
  },
  listStops: {
    use: (store, tenantId) => store.listStops({ tenantId, limit: 10 }),
    nothing: [],
  },
  recentTools: {
    use: (store, tenantId) => store.recentTools(tenantId),
    nothing: [],
  },
  releaseStop: {
    use: async (store, tenantId, owned) => {
      const all = await store.listStops({ tenantId: owned.tenantId, limit: 1000 });
      const id = all.find((stop) => stop.tenantId === owned.tenantId)?.id ?? "";
      return store.releaseStop({ id, tenantId, reason: "Not mine", by: strangerOf(tenantId) });
    },
    nothing: { outcome: "not_found" },
  },
  countApprovals: {
    use: (store, tenantId) => store.countApprovals({ tenantId, visibleTo: strangerOf(tenantId) }),
    nothing: {
      ...{ pending: 0, byRisk: { low: 0, medium: 0, high: 0, critical: 0 }, interrupted: 0 },
      nextReturn: null,
      lists: { for_you: 0, snoozed: 0, waiting: 0, asked: 0, uncertain: 0 },
    },
  },
  getPreferences: { use: (store, stranger) => store.getPreferences(stranger, "owner"), nothing: null },
  setPreferences: {
    use: (store, stranger) => store.setPreferences(stranger, "owner", { theme: "dark" }),
    nothing: undefined,
    harmless: "the tenant is part of the key",
  },
  savePushSubscription: {
    use: (store, stranger) =>
      store.savePushSubscription(stranger, { ...subscription, endpoint: "their own" }),
    nothing: true,
    harmless:
      "it only writes the row of a browser, and a browser passes to another person only with its keys",
  },
  listPushSubscriptions: {
    use: (store, stranger) => store.listPushSubscriptions(stranger),
    nothing: [],
  },
  deletePushSubscription: {
    use: (store, stranger, { tenantId: endpoint }) =>
      store.deletePushSubscription(stranger, { principalId: subscription.principalId, endpoint }),
    nothing: undefined,
  },
  auditTrail: { use: (store, stranger, { id }) => store.auditTrail(stranger, id), nothing: [] },
  listAudit: { use: (store, tenantId) => store.listAudit({ tenantId }), nothing: [] },
  verifyAudit: {
    use: (store, stranger) => store.verifyAudit(stranger),
    nothing: { ok: true, entries: 0, head: { position: 0, hash: "0".repeat(64) }, deleted: 0, sealed: [] },
  },
  pruneBatch: {
    use: (store, tenantId) => {
      const before = new Date(Date.now() + 1000 * hour);
      const batch = { tenantId, kind: "grants", before, limit: 10, dryRun: false, by: null } as const;
      return retentionVerbs(store).pruneBatch(batch);
    },
    nothing: { removed: {}, next: undefined },
  },
  sealablePart: {
    use: (store, stranger) => retentionVerbs(store).sealablePart(stranger, new Date(Date.now() + hour)),
    nothing: { part: undefined, held: undefined },
  },
  sealPart: {
    use: async (store, tenantId, owned) => {
      const [first] = await store.listAudit({ tenantId: owned.tenantId, limit: 1 });
      const part = { firstPosition: 1, lastPosition: 1, headHash: first?.hash ?? "0" };
      return retentionVerbs(store)
        .sealPart({ tenantId, part, by: null })
        .catch(({ code }) => code);
    },
    nothing: "database_failed",
    harmless: "the database seals nothing that is younger than 30 days",
  },
  deleteSealed: {
    use: (store, tenantId) => retentionVerbs(store).deleteSealed({ tenantId, limit: 10 }),
    nothing: 0,
    harmless: "the database removes nothing that is younger than 30 days",
  },
  forgetPerson: {
    use: (store, tenantId) => retentionVerbs(store).forgetPerson({ tenantId, personId: "owner", by: null }),
    nothing: {},
  },
  keptOf: {
    use: (store, tenantId) => retentionVerbs(store).keptOf(tenantId, "owner"),
    nothing: { requests: 0, threads: 0, decisions: 0, votes: 0, grants: 0, proofs: 0 },
  },
  exportAudit: {
    use: async (store, stranger) => {
      const lines: string[] = [];
      for await (const line of store.exportAudit(stranger, { format: "jsonl" })) lines.push(line);
      return lines;
    },
    nothing: [],
  },
  auditPosition: { use: (store, stranger) => store.auditPosition(stranger), nothing: 0 },
  decide: {
    use: (store, tenantId, { id, digest }) =>
      store.decide({
        approvalId: id,
        principal: strangerOf(tenantId),
        type: "approve",
        digest,
        reason: null,
      }),
    nothing: { outcome: "not_found" },
    harmless: "it compares the tenants itself as well",
  },
  takeBack: {
    use: (store, tenantId, { id }) => store.takeBack({ approvalId: id, principal: strangerOf(tenantId) }),
    nothing: { outcome: "not_found" },
    harmless: "it compares the tenants itself as well",
  },
  recordRefusal: {
    use: (store, tenantId, { id }) =>
      store.recordRefusal({
        ...{ approvalId: id, principal: strangerOf(tenantId) },
        ...{ attempt: "decision", code: "forbidden" },
      }),
    nothing: undefined,
    harmless: "it compares the tenants itself as well",
  },
  assign: {
    use: (store, tenantId, { id }) =>
      store.assign({ approvalId: id, principal: strangerOf(tenantId), to: "stranger" }),
    nothing: { outcome: "not_found" },
    harmless: "it compares the tenants itself as well",
  },
  setViewing: {
    use: (store, tenantId, { id }) =>
      store.setViewing({ approvalId: id, principal: strangerOf(tenantId), active: true }),
    nothing: { outcome: "not_found" },
    harmless: "it compares the tenants itself as well",
  },
  snooze: {
    use: (store, tenantId, { id }) =>
      store.snooze({ approvalId: id, principal: strangerOf(tenantId), until: new Date(Date.now() + 60_000) }),
    nothing: { outcome: "not_found" },
    harmless: "it compares the tenants itself as well",
  },
  extend: {
    use: (store, tenantId, { id }) =>
      store.extend({ approvalId: id, principal: strangerOf(tenantId), byMs: 60_000 }),
    nothing: { outcome: "not_found" },
    harmless: "it compares the tenants itself as well",
  },
  resolve: {
    use: (store, tenantId, { id }) =>
      store.resolve({ approvalId: id, principal: strangerOf(tenantId), outcome: "failed", note: null }),
    nothing: { outcome: "not_found" },
    harmless: "it compares the tenants itself as well",
  },
  readEvidence: {
    use: (store, stranger, { duplicateOf }) => store.readEvidence(stranger, duplicateOf ?? ""),
    nothing: undefined,
  },
  recordConfirmation: {
    use: async (store, tenantId) => {
      const principal = strangerOf(tenantId);
      const confirmation = { principal, action, origin: "runtime-ui-confirm" as const, ttlMs: 60_000 };
      return (await store.recordConfirmation(confirmation, signer)).tenantId;
    },
    nothing: expect.stringContaining("stranger"),
    harmless: "it only appends to the log that it names",
  },
  consumeConfirmation: {
    use: async (store, tenantId) => {
      const principal = strangerOf("another tenant");
      const confirmation = { principal, action, origin: "runtime-ui-confirm" as const, ttlMs: 60_000 };
      const { id, createdAt, expiresAt } = await store.recordConfirmation(confirmation, signer);
      const presented = {
        ...{ ...action, id, origin: confirmation.origin, trusted: true as const },
        createdAtIso: createdAt.toISOString(),
        expiresAtIso: expiresAt.toISOString(),
      };
      return store.consumeConfirmation({ tenantId, presented, action }, signer);
    },
    nothing: { ok: false, refusal: { code: "not_recorded", field: "id", message: expect.any(String) } },
  },
  propose: {
    use: (store, tenantId, { requestId, runId, threadId }) =>
      store.propose({
        ...{ requestId, runId, threadId, tenantId },
        ...{ appId: null, agentName: null, requesterId: null },
        calls: [],
      }),
    // Another tenant has the id, so nothing can ever be written with it.
    nothing: expect.objectContaining({ code: "database_failed" }),
  },
  recordAllowed: {
    use: (store, tenantId, { requestId }) => store.recordAllowed({ tenantId, runId: "mine", requestId }),
    nothing: [],
  },
  recordNote: {
    use: (store, tenantId) => store.recordNote({ tenantId, type: "call.refused", data: {} }),
    nothing: undefined,
    harmless: "it only appends to the log that it names",
  },
  withdrawRestored: {
    use: (store, stranger) => store.withdrawRestored(stranger, null),
    nothing: 0,
    harmless: "it only appends to the log that it names",
  },
  withdrawThread: {
    use: (store, stranger, { threadId }) => store.withdrawThread(stranger, threadId ?? "", "another run"),
    nothing: [],
  },
  openThread: {
    use: async (store, tenantId, { threadId }) =>
      (await store.openThread({ tenantId, id: threadId ?? "", ownerId: "stranger", runId: "r" }))?.tenantId,
    nothing: expect.stringContaining("stranger"),
  },
  endThread: {
    use: (store, stranger, { threadId, tenantId }) =>
      store.endThread(stranger, threadId ?? "", `run of ${tenantId}`),
    nothing: undefined,
  },
  getThread: {
    use: (store, stranger, { threadId }) => store.getThread(stranger, threadId ?? ""),
    nothing: undefined,
  },
  listThreads: {
    use: (store, tenantId) => store.listThreads({ tenantId, ownerId: "owner", limit: 10 }),
    nothing: [],
  },
  pageOfThreads: {
    use: (store, tenantId) => store.pageOfThreads({ tenantId, ownerId: "owner", limit: 10, offset: 0 }),
    nothing: { threads: [], total: 0 },
  },
  appendEntries: {
    use: (store, stranger, { threadId }) => store.appendEntries(stranger, threadId ?? "", [entry]),
    nothing: undefined,
    harmless: "the tenant is part of the key",
  },
  beginTurn: {
    use: async (store, tenantId, { threadId }) => {
      const turn = { tenantId, threadId: threadId ?? "", runId: null, key: entry.key, bodyJson: "{}" };
      return (await store.beginTurn(turn)).isNew;
    },
    nothing: true,
  },
  waitingThreads: {
    use: async (store, stranger, { threadId }) => [
      ...(await store.waitingThreads(stranger, [threadId ?? ""])),
    ],
    nothing: [],
  },
  readConversation: {
    use: (store, tenantId, { threadId }) =>
      store.readConversation({ tenantId, threadId: threadId ?? "", limit: 10 }),
    nothing: { entries: [], hasOlder: false, unrecorded: [], undone: [] },
  },
  readMessageBefore: {
    use: (store, stranger, { threadId }) =>
      store.readMessageBefore(stranger, threadId ?? "", Number.MAX_SAFE_INTEGER),
    nothing: undefined,
  },
  callsOfEntries: {
    use: (store, tenantId, { threadId, requestId }) =>
      store.callsOfEntries({
        tenantId,
        threadId: threadId ?? "",
        requestIds: [requestId],
        toolCallIds: ["call_0"],
      }),
    nothing: [],
  },
  hiddenInThread: {
    use: (store, stranger, { threadId }) => store.hiddenInThread(stranger, threadId ?? ""),
    nothing: { calls: [], redactPatterns: [] },
  },
  sameCalls: {
    use: (store, tenantId, owned) => store.sameCalls({ ...owned, tenantId, id: "another" }, null),
    nothing: [],
    harmless: "the hash that it looks for has the tenant in it",
  },
};

/** A database with two stores whose tenant filters are removed: row-level security binds only one of them. */
async function openWorld() {
  const database = await freshPostgres(4);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const tables = await database.admin<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'countersign'::regnamespace and relkind = 'r'
      and relname not in ('ended_runs', 'engine_watch', 'installation')`;
  const rowsOfEach = tables.map(
    ({ name }) => `select '${name} ' || to_json(t) as row from countersign.${name} t where tenant_id = $1`,
  );
  const rowsOfAll = `${rowsOfEach.join(" union all ")} order by 1`;
  return {
    bound: postgresStore({ client: withoutTenantFilters(database.postgres) }),
    unbound: postgresStore({ client: withoutTenantFilters(database.admin) }),
    /**
     * Creates a tenant with a row of each kind that a verb may reach. The returned call names the tenant's grant and a
     * decided call.
     */
    async ownedBy(tenantId: string): Promise<Approval> {
      const thread = { tenantId, id: `thread of ${tenantId}` };
      await store.openThread({ ...thread, ownerId: "owner", runId: `run of ${tenantId}` });
      await store.appendEntries(tenantId, thread.id, [entry]);
      await store.setPreferences(tenantId, "owner", { theme: "light" });
      await store.savePushSubscription(tenantId, { ...subscription, endpoint: tenantId });
      const by = { id: "owner", roles: [] };
      await store.engageStop({ tenantId, tool: "no_such_tool", reason: "Mine", by });
      const [call] = await proposeCall(store, {
        tenantId,
        threadId: thread.id,
        timeoutMs: hour,
        modelText: "Mine",
        notify: ["test"],
        terms: { redact: ["id"] },
        countedAs: [{ counter: "spent", amount: 80 }],
      });
      const [delivery] = await store.listDeliveries(tenantId, call?.id ?? "");
      const claimed = await store.claimDelivery(delivery?.id ?? "", ["test"]);
      if (typeof claimed === "string" || "roundups" in claimed) throw new Error("unreachable");
      await store.endAttempt(claimed, { end: "failed", error: "gone", retryInMs: null, uncertain: false });
      const [earlier] = await proposeCall(store, {
        tenantId,
        threadId: thread.id,
        verdict: "notify",
        announce: false,
      });
      await store.claim(earlier?.id ?? "", "once", () => undefined);
      await store.finish(earlier?.id ?? "", { status: "executed", outcomeJson: "{}" });
      const [granted] = await proposeCall(store, { tenantId, terms: { grantable: ["team"] } });
      if (!call || !granted) throw new Error("unreachable");
      await store.decide(
        {
          approvalId: granted.id,
          principal: { id: "owner", tenantId, roles: [] },
          type: "approve",
          digest: granted.digest,
          reason: null,
          grant: {
            scope: "team",
            inputHash: null,
            condition: null,
            authorSeesAll: false,
            lifetimeMs: hour,
            uses: null,
            budget: null,
          },
        },
        signer,
      );
      const [grant] = await store.listGrants({ tenantId, limit: 1 });
      return { ...call, grantId: grant?.id ?? null, duplicateOf: granted.id };
    },
    /** All rows of a tenant. */
    async rowsOf(tenantId: string): Promise<string[]> {
      const found = await database.admin.unsafe<{ row: string }[]>(rowsOfAll, [tenantId]);
      return found.map(({ row }) => row);
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Uses the verb as a stranger; returns its result, and whether it changed a row of the owner. */
async function useAsStranger(store: Store, verb: string, { use }: Case) {
  const name = store === world.bound ? `${verb} bound` : `${verb} unbound`;
  const owned = await world.ownedBy(`${name} owner`);
  const before = await world.rowsOf(owned.tenantId);
  expect(before.length).toBeGreaterThan(5);
  const got = await use(store, `${name} stranger`, owned).catch((error: unknown) => error);
  return { got, changed: JSON.stringify(await world.rowsOf(owned.tenantId)) !== JSON.stringify(before) };
}

describe.each(Object.entries(cases))("the store verb %s without its tenant filter", (verb, given) => {
  it("reads and changes nothing of another tenant under row-level security", async () => {
    expect(await useAsStranger(world.bound, verb, given)).toEqual({ got: given.nothing, changed: false });
  });

  const withoutPolicies = given.harmless
    ? `is safe without row-level security: ${given.harmless}`
    : "reads or changes another tenant's rows without row-level security";
  it(withoutPolicies, async () => {
    const unbound = await useAsStranger(world.unbound, verb, given);
    if (given.harmless) expect(unbound).toEqual({ got: given.nothing, changed: false });
    else expect(unbound).not.toEqual({ got: given.nothing, changed: false });
  });
});
