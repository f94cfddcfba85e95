import type { Approval, Store } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { postgresStore } from "countersign/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { withoutTenantFilters } from "../support/without-tenant-filters.js";

/** What works over all tenants by its nature, and is not for what a person or a client asks. */
type SystemVerb =
  | "migrate"
  | "isMigrated"
  | "statistics"
  // Tells the time.
  | "now"
  // Tells of types and codes only.
  | "observe"
  | "close"
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
  | "sweep"
  | "auditedTenants"
  // Listens on a channel, and reads no row.
  | "subscribe";

interface Case {
  /** A stranger uses the verb on what belongs to another tenant. */
  use(store: Store, stranger: string, owned: Approval): Promise<unknown>;
  /** What somebody gets for whom there is nothing. */
  nothing: unknown;
  /** Why the verb does no harm even where no policy binds and no filter is left. */
  harmless?: string;
}

const hour = 3_600_000;
const strangerOf = (tenantId: string) => ({ id: "stranger", tenantId, roles: ["finance"] });
const signer = createEvidenceSigner("a-secret-of-at-least-thirty-two-bytes");
const action = { actionKind: "protected" as const, toolName: "refund" };
const entry = { runId: null, kind: "user" as const, key: "mine", bodyJson: "{}" };

const cases: Record<Exclude<keyof Store, SystemVerb>, Case> = {
  getApproval: {
    use: (store, stranger, { id }) => store.getApproval(stranger, id),
    nothing: undefined,
  },
  readSaid: {
    use: (store, stranger, { requestId }) => store.readSaid(stranger, requestId),
    nothing: null,
  },
  listApprovals: {
    use: (store, tenantId) => store.listApprovals({ tenantId, limit: 10 }),
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
  countApprovals: {
    use: (store, tenantId) => store.countApprovals({ tenantId, visibleTo: strangerOf(tenantId) }),
    nothing: { pending: 0, byRisk: { low: 0, medium: 0, high: 0, critical: 0 }, interrupted: 0 },
  },
  getPreferences: { use: (store, stranger) => store.getPreferences(stranger, "owner"), nothing: null },
  setPreferences: {
    use: (store, stranger) => store.setPreferences(stranger, "owner", { theme: "dark" }),
    nothing: undefined,
    harmless: "the tenant is part of the key",
  },
  noteIdempotencyKey: {
    use: (store, tenantId) =>
      store.noteIdempotencyKey({ tenantId, principalId: "owner", key: "k", requestHash: "another" }),
    nothing: true,
    harmless: "the tenant is part of the key",
  },
  auditTrail: { use: (store, stranger, { id }) => store.auditTrail(stranger, id), nothing: [] },
  listAudit: { use: (store, tenantId) => store.listAudit({ tenantId }), nothing: [] },
  verifyAudit: {
    use: (store, stranger) => store.verifyAudit(stranger),
    nothing: { ok: true, entries: 0, head: { position: 0, hash: "0".repeat(64) } },
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
  look: {
    use: (store, tenantId, { id }) =>
      store.look({ approvalId: id, principal: strangerOf(tenantId), active: true }),
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
  startWasProven: {
    use: (store, tenantId, approval) => store.startWasProven({ ...approval, tenantId }, signer),
    nothing: false,
    harmless: "it compares the tenants itself as well",
  },
  recordConfirmation: {
    use: async (store, tenantId) => {
      const principal = strangerOf(tenantId);
      const confirmation = { principal, action, origin: "runtime-ui-confirm" as const, ttlMs: 60_000 };
      return (await store.recordConfirmation(confirmation, signer)).tenantId;
    },
    nothing: expect.stringContaining("stranger"),
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
        ...{ requestId, runId, threadId, tenantId, wakeUpToken: "w", agentName: null, requesterId: null },
        calls: [],
      }),
    nothing: [],
  },
  recordNote: {
    use: (store, tenantId) => store.recordNote({ tenantId, type: "call.refused", data: {} }),
    nothing: undefined,
  },
  withdrawThread: {
    use: (store, stranger, { threadId }) => store.withdrawThread(stranger, threadId ?? "", "another run"),
    nothing: [],
  },
  openThread: {
    use: async (store, tenantId, { threadId }) =>
      (await store.openThread({ tenantId, id: threadId ?? "", ownerId: "stranger", runId: "r" }))?.tenantId,
    nothing: expect.stringContaining("stranger"),
    harmless: "the tenant is part of the key",
  },
  endThread: {
    use: (store, stranger, { threadId }) => store.endThread(stranger, threadId ?? "", null),
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
  appendEntries: {
    use: (store, stranger, { threadId }) => store.appendEntries(stranger, threadId ?? "", [entry]),
    nothing: undefined,
    harmless: "the tenant is part of the key",
  },
  readEntries: {
    use: (store, stranger, { threadId }) => store.readEntries(stranger, threadId ?? ""),
    nothing: [],
  },
};

/** A database with two stores that have forgotten their tenant filters: the policies bind one, and not the other. */
async function openWorld() {
  const database = await freshPostgres(4);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  return {
    bound: postgresStore({ client: withoutTenantFilters(database.postgres) }),
    unbound: postgresStore({ client: withoutTenantFilters(database.admin) }),
    /** A tenant of its own, with a row of everything that a verb may reach; the call names the tenant's grant and a decided call. */
    async ownedBy(tenantId: string): Promise<Approval> {
      const thread = { tenantId, id: `thread of ${tenantId}` };
      await store.openThread({ ...thread, ownerId: "owner", runId: `run of ${tenantId}` });
      await store.appendEntries(tenantId, thread.id, [entry]);
      await store.setPreferences(tenantId, "owner", { theme: "light" });
      await store.noteIdempotencyKey({ tenantId, principalId: "owner", key: "k", requestHash: "one" });
      const [call] = await proposeCall(store, {
        tenantId,
        threadId: thread.id,
        timeoutMs: hour,
        said: "Mine",
      });
      const [granted] = await proposeCall(store, { tenantId, terms: { grantable: ["team"] } });
      if (!call || !granted) throw new Error("unreachable");
      await store.decide(
        {
          approvalId: granted.id,
          principal: { id: "owner", tenantId, roles: [] },
          type: "approve",
          digest: granted.digest,
          reason: null,
          grant: { scope: "team", inputHash: null, condition: null, lifetimeMs: hour, uses: null },
        },
        signer,
      );
      const [grant] = await store.listGrants({ tenantId, limit: 1 });
      return { ...call, grantId: grant?.id ?? null, duplicateOf: granted.id };
    },
    /** Everything that the database holds of a tenant. */
    async rowsOf(tenantId: string): Promise<string[]> {
      const tables = await database.admin<{ name: string }[]>`
        select relname as name from pg_class
        where relnamespace = 'countersign'::regnamespace and relkind = 'r' and relname <> 'ended_runs'
        order by relname`;
      const rows: string[] = [];
      for (const { name } of tables) {
        const found = await database.admin.unsafe<{ row: string }[]>(
          `select to_json(t)::text as row from countersign.${name} t where tenant_id = $1 order by 1`,
          [tenantId],
        );
        rows.push(...found.map(({ row }) => `${name} ${row}`));
      }
      return rows;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** What becomes of it when a stranger uses the verb, and whether it has changed anything of the owner's. */
async function useAsStranger(store: Store, verb: string, { use }: Case) {
  const name = store === world.bound ? `${verb} bound` : `${verb} unbound`;
  const owned = await world.ownedBy(`${name} owner`);
  const before = await world.rowsOf(owned.tenantId);
  expect(before.length).toBeGreaterThan(5);
  const got = await use(store, `${name} stranger`, owned).catch((error: unknown) => error);
  return { got, changed: JSON.stringify(await world.rowsOf(owned.tenantId)) !== JSON.stringify(before) };
}

describe.each(Object.entries(cases))("%s, having forgotten its tenant filter,", (verb, given) => {
  it("finds and changes nothing of another tenant's", async () => {
    expect(await useAsStranger(world.bound, verb, given)).toEqual({ got: given.nothing, changed: false });
  });

  it(`${given.harmless ? "does neither" : "would do either"} without the policies${given.harmless ? `: ${given.harmless}` : ""}`, async () => {
    const unbound = await useAsStranger(world.unbound, verb, given);
    if (given.harmless) expect(unbound).toEqual({ got: given.nothing, changed: false });
    else expect(unbound).not.toEqual({ got: given.nothing, changed: false });
  });
});
